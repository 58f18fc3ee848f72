// A command that cannot be started as it was written down, found before anything is started.

export interface CommandWords {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
}

/** Throws `TypeError` for words that no program can be started with. */
export function checkCommand({ command, args, cwd }: CommandWords): void {
  if (typeof command !== 'string' || command === '') throw new TypeError('command must be the name of a program')
  if (cwd !== undefined && typeof cwd !== 'string') throw new TypeError('cwd must be the path of a directory')
  if (!Array.isArray(args) || args.some((argument) => typeof argument !== 'string')) {
    throw new TypeError('args must be an array of strings')
  }
  const words: readonly string[] = [command, cwd ?? '', ...args]
  if (words.some((word) => word.includes('\0'))) throw new TypeError('command, args and cwd must not contain NUL')
}

/** Throws `TypeError` for what cannot be an environment. Says which variable is wrong, never its value. */
export function checkEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  if (typeof env !== 'object' || env === null || Array.isArray(env)) {
    throw new TypeError("env must be an object of strings, as in { LOG_LEVEL: 'debug' }")
  }
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || name.includes('=') || name.includes('\0')) {
      throw new TypeError("The name of an environment variable must not be empty and has no '=' and no NUL in it")
    }
    if (value !== undefined && (typeof value !== 'string' || value.includes('\0'))) {
      throw new TypeError(`Environment variable '${name}' must be a string without NUL`)
    }
  }
}
