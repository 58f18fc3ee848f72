// An optional package that is not installed: the command that installs it, which the error of the package names.

/** How these messages begin. What a server or an engine says is not taken for one. */
const MESSAGE =
  /^(?:(?:A URL for )?\w+\(\) needs the packages? |No client of |The package \S+ does not load|This Node \S+ has no )/
const COMMAND = /\bnpm install(?: (?:--save-dev|@?[\w/-]+@\d+(?:\.\d+)*))+/

/** `undefined` for every other error. */
export function installAdvice({ message }: Error): string | undefined {
  const command = MESSAGE.test(message) ? COMMAND.exec(message)?.[0] : undefined
  return command === undefined ? undefined : `Run: ${command}`
}
