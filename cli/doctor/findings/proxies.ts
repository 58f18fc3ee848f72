// Variables of the environment that name a proxy.

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'] as const

/** Variables that name a proxy, which connections of mcpwire do not use. */
export function proxyVariables(env: NodeJS.ProcessEnv = process.env): string[] {
  return PROXIES.flatMap((name) => [name, name.toLowerCase()]).filter((name) => Boolean(env[name]))
}
