// The little of Bun and Deno that programs in docs/examples use.
declare const Bun: {
  serve(options: { hostname: string; port: number; fetch: (request: Request) => Promise<Response> }): unknown
}
declare const Deno: {
  env: { get(name: string): string | undefined }
  serve(options: { hostname: string; port: number }, fetch: (request: Request) => Promise<Response>): unknown
}
