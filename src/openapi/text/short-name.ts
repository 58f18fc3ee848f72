// Names within limits: characters that model APIs allow, and a digest in place of what was cut.
import { sha256 } from '../../primitives/sha256.ts'

const DIGEST_LENGTH = 6
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Characters outside of letters, digits, `_` and `-` become `_`, one for each run of them; too long a name ends in a digest. */
export function shortName(text: string, maxLength: number, other: RegExp = /[^A-Za-z0-9_-]+/g): string {
  const name = text
    .replace(other, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '')
  return name.length <= maxLength ? name : cutName(name, text, maxLength)
}

/** The beginning of a name, `_`, and six characters of the digest of the whole: the same after every start. */
function cutName(name: string, whole: string, maxLength: number): string {
  const digest = sha256(new TextEncoder().encode(whole))
  let end = ''
  for (let index = 0; index < DIGEST_LENGTH; index++) end += BASE32[(digest[index] as number) & 31]
  return `${name.slice(0, maxLength - DIGEST_LENGTH - 1)}_${end}`
}
