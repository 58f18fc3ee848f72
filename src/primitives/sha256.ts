// SHA-256 (FIPS 180-4), for where the digest must be known in the same turn: the platform's own is asynchronous.

const BLOCK_BYTES = 64

// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
const INITIAL_HASH = new Uint32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])

// The same of the cube roots of the first 64 primes.
const ROUND_CONSTANTS = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
])

export function sha256(message: Uint8Array): Uint8Array {
  const padded = pad(message)
  const hash = INITIAL_HASH.slice()
  const schedule = new Uint32Array(ROUND_CONSTANTS.length)
  for (let block = 0; block < padded.byteLength; block += BLOCK_BYTES) {
    fillSchedule(schedule, padded, block)
    compress(hash, schedule)
  }
  const digest = new DataView(new ArrayBuffer(hash.byteLength))
  for (const [index, word] of hash.entries()) digest.setUint32(index * 4, word)
  return new Uint8Array(digest.buffer)
}

/** The message, a one, zeros, and its length in bits. */
function pad(message: Uint8Array): DataView {
  const blocks = Math.ceil((message.length + 9) / BLOCK_BYTES)
  const padded = new Uint8Array(blocks * BLOCK_BYTES)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n)
  return view
}

function fillSchedule(schedule: Uint32Array, padded: DataView, block: number): void {
  for (let t = 0; t < 16; t++) schedule[t] = padded.getUint32(block + t * 4)
  for (let t = 16; t < schedule.length; t++) {
    const early = wordAt(schedule, t - 15)
    const late = wordAt(schedule, t - 2)
    const mixedEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    schedule[t] = wordAt(schedule, t - 16) + mixedEarly + wordAt(schedule, t - 7) + mixedLate
  }
}

/** The letters are those of the standard. */
function compress(hash: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
  for (let t = 0; t < schedule.length; t++) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const sumOfE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const sumOfA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const first = (h + sumOfE + choice + wordAt(ROUND_CONSTANTS, t) + wordAt(schedule, t)) | 0
    const second = (sumOfA + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const words = [a, b, c, d, e, f, g, h]
  for (let index = 0; index < words.length; index++) hash[index] = wordAt(hash, index) + wordAt(words, index)
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

/** Every index here is in range. */
function wordAt(words: ArrayLike<number>, index: number): number {
  return words[index] as number
}
