import sys

import openapi_client as firn

client = firn.ApiClient(firn.Configuration(host=sys.argv[1]))
ids = firn.IDsApi(client)
three = ids.next_ids("orders", count=3).ids
print("ids", len(set(three)))
number = ids.decode(three[0])
print(number.layout, "of [" + ", ".join(number.namespaces) + "]")
print(str(number.timestamp_ms > 1_700_000_000_000).lower())
wide = ids.decode("01890a5d-ac96-774b-bcce-b302099a8057")
print(wide.type, "version", wide.parts["version"])
print(str(len(ids.readings(three[0]).readings) > 1).lower())
print(ids.layouts().layouts[0].name)
fleet = firn.FleetApi(client)
print(fleet.namespaces().namespaces[1].stats.issued)
print(fleet.workers().workers[0].state)
print(fleet.segments().segments[0].namespace)
print({None: "null"}.get(fleet.server().outage))
print(firn.HealthApi(client).ready().strip())
try:
    ids.next_ids("orders", count=10**8)
except firn.ApiException as refusal:
    print(refusal.status)
