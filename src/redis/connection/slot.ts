// The slot of a key in a Redis cluster: CRC-16 (XMODEM) of the part in braces, or of all.
const SLOTS = 16_384
const POLYNOMIAL = 0x1021

export function slotOf(key: string): number {
  const open = key.indexOf('{')
  const close = key.indexOf('}', open + 1)
  const part = open !== -1 && close > open + 1 ? key.slice(open + 1, close) : key
  let crc = 0
  for (const byte of Buffer.from(part)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1) & 0xffff
  }
  return crc % SLOTS
}
