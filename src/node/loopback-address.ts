// Which addresses of a machine only the machine itself can reach.

/** Whether a socket's own address is a loopback one; `undefined` where it has none, as on a Unix socket. */
export function isLoopbackAddress(address: string | undefined): boolean | undefined {
  if (address === undefined) return undefined
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
}
