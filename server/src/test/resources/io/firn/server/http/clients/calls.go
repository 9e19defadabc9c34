package main

import (
	"context"
	"fmt"
	"openapi"
	"os"
	"strings"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Args[1]}}
	client := openapi.NewAPIClient(configuration)
	ctx := context.Background()
	issued, _, err := client.IDsAPI.NextIds(ctx, "orders").Count(3).Execute()
	must(err)
	three := issued.Ids
	distinct := map[string]bool{}
	for _, id := range three {
		distinct[id] = true
	}
	fmt.Println("ids", len(distinct))
	number, _, err := client.IDsAPI.Decode(ctx, three[0]).Execute()
	must(err)
	fmt.Println(number.GetLayout(), "of", number.Namespaces)
	fmt.Println(number.GetTimestampMs() > 1_700_000_000_000)
	wide, _, err := client.IDsAPI.Decode(ctx, "01890a5d-ac96-774b-bcce-b302099a8057").Execute()
	must(err)
	fmt.Println(wide.GetType(), "version", wide.GetParts()["version"])
	all, _, err := client.IDsAPI.Readings(ctx, three[0]).Execute()
	must(err)
	fmt.Println(len(all.Readings) > 1)
	layouts, _, err := client.IDsAPI.Layouts(ctx).Execute()
	must(err)
	fmt.Println(layouts.Layouts[0].Name)
	namespaces, _, err := client.FleetAPI.Namespaces(ctx).Execute()
	must(err)
	fmt.Println(namespaces.Namespaces[1].Stats.Get().Issued)
	workers, _, err := client.FleetAPI.Workers(ctx).Execute()
	must(err)
	fmt.Println(workers.Workers[0].State)
	segments, _, err := client.FleetAPI.Segments(ctx).Execute()
	must(err)
	fmt.Println(segments.Segments[0].Namespace)
	server, _, err := client.FleetAPI.Server(ctx).Execute()
	must(err)
	if !server.Outage.IsSet() || server.Outage.Get() == nil {
		fmt.Println("null")
	}
	ready, _, err := client.HealthAPI.Ready(ctx).Execute()
	must(err)
	fmt.Println(strings.TrimSpace(ready))
	_, refusal, _ := client.IDsAPI.NextIds(ctx, "orders").Count(0).Execute()
	fmt.Println(refusal.StatusCode)
}
