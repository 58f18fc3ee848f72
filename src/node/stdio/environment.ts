// What a child process gets to see of our environment: little, because environments are full of secrets.

const POSIX_NAMES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']

const WINDOWS_NAMES = [
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
]

type Variables = Readonly<Record<string, string | undefined>>

/** The variables that a program needs to run at all, as they are now. No other reaches a child unless it is passed. */
export function defaultEnvironment(
  source: Variables = process.env,
  platform: string = process.platform,
): Record<string, string> {
  const entries: [string, string][] = []
  for (const name of platform === 'win32' ? WINDOWS_NAMES : POSIX_NAMES) {
    const value = source[name]
    // A value of this form is a shell function, which an old shell would run.
    if (value !== undefined && !value.startsWith('()')) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

/** Lays `given` over the base; `undefined` takes a variable away. */
export function mergeEnvironment(
  base: Readonly<Record<string, string>>,
  given: Variables,
  platform: string = process.platform,
): Record<string, string> {
  // On Windows `Path` and `PATH` are one variable, and of two spellings a child would get either.
  const keyOf = platform === 'win32' ? (name: string) => name.toUpperCase() : (name: string) => name
  const givenKeys = new Set(Object.keys(given).map(keyOf))
  const kept = Object.entries(base).filter(([name]) => !givenKeys.has(keyOf(name)))
  const added = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries([...kept, ...added])
}
