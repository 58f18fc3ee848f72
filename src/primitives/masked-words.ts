// A command line fit for messages: the words that tell what was started, and none that may be a secret.

const MASK = '***'
const TELLING_NAME = /key|token|secret|pass|auth|credential|bearer|pwd/i

/** As long and mixed as keys are, and nothing that names a file or a package. */
const TOKEN = /(?=[^\\/]*\d)(?=[^\\/]*[a-z])[\w+=.-]{20,}/i
/** A short option may have its value right behind it. */
const OPTION = /^(?:--[a-z][\w-]*|-\w|-[a-z]+)$/i
const OPTION_WITH_VALUE = /^(--?[\w-]+)=/
const PATH = /^(?:\.{1,2}|~|[a-z]:)?[\\/]|\.(?:[cm]?[jt]sx?|py|rb|sh|jar|php|exe|wasm)$/i
/** With a digit only in its version: passwords are made of such words too, but rarely without one. */
const PACKAGE = /^(?:@[a-z][\w.-]*\/)?[a-z_.-]+(?:@[\d.]+)?$/i
const SCOPED = /^@[a-z][\w.-]*\/[a-z][\w.-]*(?:@[\w.^~-]+)?$/i
const MAX_LENGTH = 300

/** Options keep their names and lose their values; what names a file or a package stays; the rest is hidden. */
export function maskCommand(command: string, args: readonly string[]): string {
  const words = args.map((word, index) => maskWord(word, args[index - 1]))
  const line = [command, ...words].join(' ')
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line
}

function maskWord(word: string, before: string | undefined): string {
  // Longer than is shown, and than the patterns below are made for.
  if (word.length > MAX_LENGTH) return MASK
  if (OPTION.test(word)) return TOKEN.test(word) ? MASK : word
  const [, name] = OPTION_WITH_VALUE.exec(word) ?? []
  if (name !== undefined) return `${name}=${MASK}`
  const isAnnounced = before !== undefined && OPTION.test(before) && TELLING_NAME.test(before)
  if (isAnnounced) return MASK
  if (PATH.test(word) || SCOPED.test(word)) return word
  return PACKAGE.test(word) && !TOKEN.test(word) ? word : MASK
}
