// Which network an address belongs to, so that a server can't point us into a private network.

/** `private` is everything except this machine and the public internet. */
export type AddressRange = 'loopback' | 'private' | 'public'

type Ipv4Block = readonly [base: readonly [number, number, number, number], bits: number]

/** IANA's special-purpose registry without loopback. */
const SPECIAL_IPV4: readonly Ipv4Block[] = [
  [[0, 0, 0, 0], 8],
  [[10, 0, 0, 0], 8],
  [[100, 64, 0, 0], 10],
  [[169, 254, 0, 0], 16],
  [[172, 16, 0, 0], 12],
  [[192, 0, 0, 0], 24],
  [[192, 0, 2, 0], 24],
  [[192, 88, 99, 0], 24],
  [[192, 168, 0, 0], 16],
  [[198, 18, 0, 0], 15],
  [[198, 51, 100, 0], 24],
  [[203, 0, 113, 0], 24],
  [[224, 0, 0, 0], 4],
  [[240, 0, 0, 0], 4],
]

/** The range of a URL's `hostname`; `undefined` for a name, whose range is known only after it is resolved. */
export function rangeOfHost(hostname: string): AddressRange | undefined {
  const name = hostname.replace(/\.$/, '').toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback'
  if (name.startsWith('[')) return rangeOfAddress(name.slice(1, -1))
  return parseIpv4(name) === undefined ? undefined : rangeOfAddress(name)
}

/** The range of an address from a resolver or a socket. An unreadable address counts as private. */
export function rangeOfAddress(address: string): AddressRange {
  const ipv4 = parseIpv4(address)
  if (ipv4 !== undefined) return rangeOfIpv4(ipv4)
  const groups = parseIpv6(address)
  return groups === undefined ? 'private' : rangeOfIpv6(groups)
}

function rangeOfIpv4(value: number): AddressRange {
  if (value >>> 24 === 127) return 'loopback'
  const isSpecial = SPECIAL_IPV4.some(([base, bits]) => value >>> (32 - bits) === joinBytes(base) >>> (32 - bits))
  return isSpecial ? 'private' : 'public'
}

function rangeOfIpv6(groups: readonly number[]): AddressRange {
  const [first = 0, second = 0] = groups
  const startsWithZeros = (count: number) => groups.slice(0, count).every((group) => group === 0)
  if (startsWithZeros(7) && groups[7] === 1) return 'loopback'
  // IPv4-mapped, and the well-known prefix of NAT64: as public as the address inside.
  if (startsWithZeros(5) && groups[5] === 0xffff) return rangeOfEmbedded(groups, 6)
  if (first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0)) {
    return rangeOfEmbedded(groups, 6)
  }
  if (first === 0x2002) return rangeOfEmbedded(groups, 1)
  // ISATAP carries an IPv4 address behind 5efe.
  if (groups[5] === 0x5efe && ((groups[4] ?? 0) & 0xfdff) === 0) return 'private'
  // Only 2000::/3 is public; Teredo and the other protocol assignments are within 2001::/23.
  if (first >>> 13 !== 1) return 'private'
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return 'private'
  if (first === 0x3fff && second < 0x1000) return 'private'
  return 'public'
}

/** An embedded loopback address counts as private: no honest peer writes it that way. */
function rangeOfEmbedded(groups: readonly number[], at: number): AddressRange {
  const value = (((groups[at] ?? 0) << 16) | (groups[at + 1] ?? 0)) >>> 0
  return rangeOfIpv4(value) === 'public' ? 'public' : 'private'
}

function joinBytes(bytes: readonly number[]): number {
  return bytes.reduce((value, byte) => ((value << 8) | byte) >>> 0, 0)
}

/** The URL parser has rewritten other forms (one number, octal, short) to four decimals. */
function parseIpv4(text: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined
  const bytes = text.split('.').map(Number)
  return bytes.every((byte) => byte <= 255) ? joinBytes(bytes) : undefined
}

function parseIpv6(address: string): number[] | undefined {
  const withoutZone = address.replace(/%.*$/, '')
  let canonical: string
  try {
    // The URL parser rewrites every spelling, dotted tails included, to groups of hexadecimals.
    canonical = new URL(`http://[${withoutZone}]/`).hostname.slice(1, -1)
  } catch {
    return undefined
  }
  const [head = '', tail] = canonical.split('::')
  const before = groupsOf(head)
  if (tail === undefined) return before
  const after = groupsOf(tail)
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}
