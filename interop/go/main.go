// The Go SDK as a peer of the matrix. Usage: interop client | server <stdio | http-json | http-sse | sse> <legacy | modern>
package main

import (
	"context"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "client":
		err = drive(context.Background())
	case len(os.Args) == 4 && os.Args[1] == "server":
		err = serve(context.Background(), os.Args[2], os.Args[3])
	default:
		log.Fatal("usage: interop client | server <transport> <era>")
	}
	if err != nil {
		log.Fatal(err)
	}
}
