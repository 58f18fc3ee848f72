// A package that npx and its kind could not install: what they say about it in their own lines, as one of cause and one of remedy.
import type { ConnectError } from 'mcpwire'
import { showLine } from '../terminal/terminal-text.ts'

const CODE = /^(?:npm (?:error|ERR!) code (\S+)|\s*(?:\[?ERR_PNPM_|ERR_PNPM_)(\w+))/

interface Reason {
  readonly words: string
  readonly fix: string
}

const NO_SUCH_PACKAGE: Reason = {
  words: 'the registry has none of that name, or does not show it to you',
  fix: 'Check the name of the package.',
}
const NO_SUCH_VERSION: Reason = {
  words: 'there is no such version',
  fix: 'Check the version behind the name of the package.',
}
const NO_ACCESS: Reason = { words: 'the registry refuses access', fix: 'Run npm login, or check the token in .npmrc.' }
const NO_REGISTRY: Reason = {
  words: 'the registry cannot be reached',
  fix: 'Check the network, and the address that npm config get registry prints.',
}

const REASONS = new Map<string, Reason>([
  ['E404', NO_SUCH_PACKAGE],
  ['FETCH_404', NO_SUCH_PACKAGE],
  ['ETARGET', NO_SUCH_VERSION],
  ['ENOVERSIONS', NO_SUCH_VERSION],
  ['NO_MATCHING_VERSION', NO_SUCH_VERSION],
  ...['E401', 'E403', 'ENEEDAUTH', 'FETCH_401', 'FETCH_403'].map((code): [string, Reason] => [code, NO_ACCESS]),
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENETUNREACH', 'META_FETCH_FAIL'].map(
    (code): [string, Reason] => [code, NO_REGISTRY],
  ),
  ['ENOSPC', { words: 'the disk is full', fix: 'Free space on the disk.' }],
  ['EACCES', { words: 'a folder of npm cannot be written to', fix: 'Check who owns the folders of npm.' }],
])

/** `undefined` for a program that ended for another reason. */
export function explainInstaller({ target, stderr }: ConnectError): { message: string; fix: string } | undefined {
  const [, npm, pnpm] = stderr.map((line) => CODE.exec(line)).findLast((match) => match !== null) ?? []
  const code = npm ?? pnpm
  if (code === undefined) return undefined
  const [program = ''] = target.split(' ')
  const { words, fix } = REASONS.get(code) ?? {
    words: 'its lines above say why',
    fix: 'Run the command by hand to see more.',
  }
  return { message: `${showLine(program)} could not install the package: ${words} (${showLine(code)}).`, fix }
}
