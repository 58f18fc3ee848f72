// Which hosts of a URL are this very machine, so that what is sent there crosses no network.

/** RFC 6761: `localhost` and every name under it, and the addresses that are kept for it. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true
  return /^127(?:\.\d{1,3}){3}$/.test(name)
}
