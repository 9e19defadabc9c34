import {Configuration, FleetApi, HealthApi, IDsApi, ResponseError} from './client';

async function calls(basePath: string) {
  const configuration = new Configuration({basePath});
  const ids = new IDsApi(configuration);
  const three = (await ids.nextIds({namespace: 'orders', count: 3})).ids;
  console.log('ids ' + new Set(three).size);
  const number = await ids.decode({id: three[0]});
  console.log(`${number.layout} of [${number.namespaces}]`);
  console.log(number.timestampMs! > 1_700_000_000_000);
  const wide = await ids.decode({id: '01890a5d-ac96-774b-bcce-b302099a8057'});
  console.log(`${wide.type} version ${wide.parts!['version']}`);
  console.log((await ids.readings({id: three[0]})).readings.length > 1);
  console.log((await ids.layouts()).layouts[0].name);
  const fleet = new FleetApi(configuration);
  console.log((await fleet.namespaces()).namespaces[1].stats!.issued);
  console.log((await fleet.workers()).workers[0].state);
  console.log((await fleet.segments()).segments[0].namespace);
  console.log((await fleet.server()).outage);
  console.log((await new HealthApi(configuration).ready()).trim());
  try {
    await ids.nextIds({namespace: 'orders', count: 0});
  } catch (e) {
    console.log((e as ResponseError).response.status);
  }
}

calls(process.argv[2]);
