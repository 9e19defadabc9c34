/*
 * The service that Twitter's Snowflake of 2010 offered, written down again from its wire format.
 * The client in ../generated was made of this file by Thrift's compiler, and is not edited:
 *
 *   thrift --gen java:generated_annotations=suppress -out ../generated Snowflake.thrift
 *
 * with the compiler 0.17.0 (Debian's thrift-compiler).
 */
namespace java com.twitter.service.snowflake.gen

service Snowflake {
  i64 get_worker_id()
  i64 get_timestamp()
  i64 get_id(1:string useragent)
  i64 get_datacenter_id()
}
