// Which parts of an entry may be secrets: they are masked in output, and other users must not read the file.
import { isPlainObject } from '../../terminal/primitives.ts'

const MASK = '***'

/** What hosts call the environment and the headers of a server. */
const SECRET_MEMBERS = new Set(['env', 'environment', 'envs', 'headers', 'http_headers'])
const URL_MEMBERS = new Set(['url', 'serverUrl', 'uri', 'httpUrl'])
const PLAIN_MEMBERS = new Set(['type', 'transport', 'source', 'name', 'cwd'])
const SECRET_NAME = /key|token|secret|pass|auth|credential/i

/** As long and mixed as keys are, and nothing that names a file or a package. */
const TOKEN = /^(?=.*\d)(?=.*[a-z])[\w+=.-]{20,}$/i

/** An entry that can be shown. Members that are not ours are named and no more: what they are for only their host knows. */
export function maskEntry(entry: unknown): unknown {
  if (!isPlainObject(entry)) return MASK
  return Object.fromEntries(Object.entries(entry).map(([key, member]) => [key, maskMember(key, member)]))
}

/** Whether any of these entries holds what others should not read. */
export function holdsSecrets(entries: readonly unknown[]): boolean {
  return entries.some(
    (entry) => isPlainObject(entry) && Object.entries(entry).some(([key, member]) => isSecret(key, member)),
  )
}

function isSecret(key: string, member: unknown): boolean {
  if (SECRET_MEMBERS.has(key)) return isPlainObject(member) && Object.keys(member).length > 0
  if (isPlainObject(member)) return Object.entries(member).some(([inner, value]) => isSecret(inner, value))
  if (Array.isArray(member)) return maskWords(member).some((word, index) => word !== member[index])
  if (URL_MEMBERS.has(key)) return maskUrl(member) !== member
  return SECRET_NAME.test(key) && typeof member === 'string' && member !== ''
}

function maskMember(key: string, member: unknown): unknown {
  if (typeof member === 'boolean' || typeof member === 'number' || PLAIN_MEMBERS.has(key)) return member
  if (member === '') return member
  if (key === 'args' || key === 'command' || key === 'cmd') return Array.isArray(member) ? maskWords(member) : member
  if (URL_MEMBERS.has(key)) return maskUrl(member)
  return isPlainObject(member) ? Object.fromEntries(Object.keys(member).map((name) => [name, MASK])) : MASK
}

/** Words of a command. What follows `--api-key`, or looks like one, is not shown. */
function maskWords(words: readonly unknown[]): unknown[] {
  return words.map((word, index) => {
    if (typeof word !== 'string') return word
    const [, name = '', value] = /^(--?[^=]*|\w+)=(.*)$/s.exec(word) ?? []
    if (value !== undefined) return SECRET_NAME.test(name) || TOKEN.test(value) ? `${name}=${MASK}` : word
    const before = words[index - 1]
    const followsSecretName = typeof before === 'string' && before.startsWith('-') && SECRET_NAME.test(before)
    return (followsSecretName && !word.startsWith('-')) || TOKEN.test(word) ? MASK : maskUrl(word)
  })
}

function maskUrl(url: unknown): unknown {
  if (typeof url !== 'string' || !/^\w+:\/\//.test(url) || !URL.canParse(url)) return url
  const { protocol, host, pathname, search, username, password } = new URL(url)
  if (search === '' && username === '' && password === '') return url
  return `${protocol}//${username || password ? `${MASK}@` : ''}${host}${pathname}${search && `?${MASK}`}`
}
