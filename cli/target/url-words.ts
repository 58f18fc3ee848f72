// URLs as people type them: `https://example.com/mcp`, `localhost:3000/mcp`, `:3000`, `example.com`.
import { existsSync } from 'node:fs'
import { usageFailure } from '../terminal/failure.ts'

/** Endings of files: `mcp.json` is no host. */
const FILE_ENDING =
  /\.(?:[cm]?[jt]s|json|jsonc|py|md|txt|ya?ml|toml|sh|bash|rb|go|rs|jar|java|exe|cmd|bat|ps1|tsx|jsx|php|lua|lock|log|env|html?|css|xml|zip|gz)$/i

/** `host`, `host:port`, each with a path; the host has a dot, is `localhost`, or comes with a port. */
const HOST =
  /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.?)?(:\d{1,5})?([/?#].*)?$/i

/** The URL that a word stands for; `undefined` for what is none. A missing scheme is http for this machine, and https otherwise. */
export function readUrlWord(word: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return readWholeUrl(word)
  const [, host = '', port = ''] = HOST.exec(word) ?? []
  const isLocal = host === '' || isLoopback(host)
  if (host === '' && port === '') return undefined
  if (!isLocal && port === '' && (!host.includes('.') || FILE_ENDING.test(host) || existsSync(word))) return undefined
  const text = `${isLocal ? 'http' : 'https'}://${host === '' ? `localhost${word}` : word}`
  return URL.canParse(text) ? text : undefined
}

function readWholeUrl(word: string): string {
  if (!/^https?:/i.test(word)) {
    throw usageFailure(
      `The URL ${maskUser(word)} begins with neither http:// nor https://.`,
      'Use an http or https URL.',
    )
  }
  if (!URL.canParse(word)) throw usageFailure(`${maskUser(word)} is not a valid URL.`, 'Check the URL.')
  return word
}

/** Where to look for the server: a URL without a path is tried as it is, then with `/mcp`. */
export function candidatesOf(url: string): string[] {
  const parsed = new URL(url)
  if (parsed.pathname !== '/' || parsed.search !== '' || parsed.hash !== '') return [url]
  return [url, new URL('/mcp', parsed).href]
}

/** RFC 6761, and the addresses that are reserved for this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name)
}

function maskUser(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//***@')
}
