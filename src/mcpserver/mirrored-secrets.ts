// Arguments that should not be repeated in HTTP headers, where proxies and logs read them: secrets and personal data.
import type { HeaderAnnotation } from '../wire/header-annotations.ts'

const DELICATE_WORDS: ReadonlySet<string> = new Set([
  ...['password', 'passwd', 'pwd', 'passphrase', 'passcode', 'pin', 'otp', 'secret', 'token', 'jwt', 'bearer'],
  ...['credential', 'credentials', 'authorization', 'cookie', 'apikey', 'privatekey', 'signature'],
  ...['ssn', 'iban', 'email', 'phone', 'birthday', 'birthdate', 'passport', 'cvv', 'cvc'],
])
/** Words that are harmless one by one. */
const DELICATE_PAIRS: ReadonlySet<string> = new Set([
  ...['api key', 'access key', 'private key', 'signing key', 'encryption key'],
  ...['credit card', 'card number', 'account number', 'social security', 'phone number', 'birth date'],
])

/** The first annotated argument whose name, or that of its header, tells of a secret or of a person, as `login.password`. */
export function findMirroredSecret(annotations: readonly HeaderAnnotation[]): string | undefined {
  const found = annotations.find(({ name, path }) => soundsDelicate(name) || path.some(soundsDelicate))
  return found?.path.join('.')
}

/** Whether a name tells of a secret or of a person. */
export function soundsDelicate(name: string): boolean {
  const words = splitWords(name)
  return words.some(
    (word, index) => DELICATE_WORDS.has(word) || DELICATE_PAIRS.has(`${words[index - 1] ?? ''} ${word}`),
  )
}

/** `apiKey`, `API_KEY` and `api-key` are the same two words. */
function splitWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase())
}
