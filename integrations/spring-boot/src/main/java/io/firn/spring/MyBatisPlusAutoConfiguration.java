package io.firn.spring;

import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import io.firn.IdGenerator;
import io.firn.mybatis.FirnIdentifiers;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The generator of keys for MyBatis-Plus, where firn-mybatis and MyBatis-Plus are present. */
@AutoConfiguration(
    after = FirnAutoConfiguration.class,
    beforeName = "com.baomidou.mybatisplus.autoconfigure.MybatisPlusAutoConfiguration")
@ConditionalOnClass({FirnIdentifiers.class, IdentifierGenerator.class})
@ConditionalOnSingleCandidate(IdGenerator.class)
class MyBatisPlusAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  IdentifierGenerator firnIdentifiers(IdGenerator ids) {
    return new FirnIdentifiers(ids);
  }
}
