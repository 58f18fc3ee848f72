// The addresses of a skill's files: paths inside its folder, the URIs they have, and the way back. Nothing leads out of the folder.

/** The file that makes a folder a skill. */
export const ENTRY_FILE = 'SKILL.md'

const MAX_LENGTH = 1024
const MAX_NAME_LENGTH = 64
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const SEGMENT = /^[A-Za-z0-9._~-]+$/
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/
const CONTROL = /\p{Cc}/u
const LONE_SURROGATE = /\p{Cs}/u

/** What is wrong with the name of a skill, as the end of a sentence; or `undefined`. */
export function findNameFlaw(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'it is not a string'
  if (name.length > MAX_NAME_LENGTH) return `it is longer than ${MAX_NAME_LENGTH} characters`
  return NAME.test(name) ? undefined : 'it has other characters than lower-case letters, digits and single hyphens'
}

/** What is wrong with the path of a skill, as in `acme/billing/refunds`; or `undefined`. */
export function findSkillPathFlaw(path: string): string | undefined {
  if (path.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`
  for (const segment of path.split('/')) {
    if (segment === '') return 'a part of it is empty'
    if (isDots(segment)) return "it contains '.' or '..'"
    if (!SEGMENT.test(segment)) return "it has other characters than letters, digits, '.', '_', '~' and '-'"
  }
  return undefined
}

/** What is wrong with the path of a file, relative to the folder of its skill and decoded; or `undefined`. */
export function findFilePathFlaw(path: string): string | undefined {
  if (path.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`
  if (path.includes('\\')) return 'it contains a backslash'
  if (CONTROL.test(path)) return 'it contains a control character'
  if (LONE_SURROGATE.test(path)) return 'it is not well-formed Unicode'
  for (const segment of path.split('/')) {
    if (segment === '') return 'a part of it is empty'
    if (isDots(segment)) return "it contains '.' or '..'"
  }
  return undefined
}

/** Parsers of URLs and some systems drop spaces at the end. */
function isDots(segment: string): boolean {
  const trimmed = segment.trim()
  return trimmed === '.' || trimmed === '..'
}

/** The URI of the folder of a skill. */
export function folderAt(skillPath: string): string {
  return `skill://${skillPath}`
}

/** The URI of a file or folder. The path is without flaws; empty for the folder itself. */
export function uriOf(folder: string, path: string): string {
  return path === '' ? folder : `${folder}/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** The folder of the skill that has its `SKILL.md` at this URI; `undefined` if no skill can be there. */
export function folderOf(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH * 4 || !SCHEME.test(uri) || !uri.endsWith(`/${ENTRY_FILE}`)) return undefined
  if (uri.includes('?') || uri.includes('#') || uri.includes('\\') || CONTROL.test(uri)) return undefined
  const folder = uri.slice(0, -ENTRY_FILE.length - 1)
  const segments = folder.replace(SCHEME, '').split('/').map(decodeSegment)
  return segments.some((segment) => segment === undefined || isDots(segment)) ? undefined : folder
}

/** The last part of the folder's path: the name that the skill must have. */
export function nameIn(folder: string): string | undefined {
  const path = folder.replace(SCHEME, '')
  return decodeSegment(path.slice(path.lastIndexOf('/') + 1))
}

/** The decoded path of a URI inside a folder; `undefined` if it is not inside, or its path has flaws. */
export function pathIn(folder: string, uri: string): string | undefined {
  if (!uri.startsWith(`${folder}/`) || uri.includes('?') || uri.includes('#')) return undefined
  const segments = uri
    .slice(folder.length + 1)
    .split('/')
    .map(decodeSegment)
  // A decoded slash would be a separator in the path.
  if (segments.some((segment) => segment === undefined || segment.includes('/'))) return undefined
  const path = segments.join('/')
  return findFilePathFlaw(path) === undefined ? path : undefined
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/**
 * The path that a relative reference in a skill names, from the folder of its `SKILL.md`; empty for that folder. `undefined` for a
 * reference that leads out of the folder, or is not relative.
 */
function resolveReference(reference: string): string | undefined {
  if (reference.startsWith('/') || SCHEME.test(reference)) return undefined
  const path: string[] = []
  for (const segment of reference.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') path.push(segment)
    else if (path.pop() === undefined) return undefined
  }
  const resolved = path.join('/')
  return resolved === '' || findFilePathFlaw(resolved) === undefined ? resolved : undefined
}

/**
 * The path that a link in Markdown names, without its fragment and percent-decoded; `undefined` if that leads out of the folder.
 */
export function decodeReference(reference: string): string | undefined {
  const [beforeFragment = ''] = reference.split('#')
  return resolveReference(decodeSegment(beforeFragment) ?? beforeFragment)
}

/** The paths that a reference may mean, the most literal first: names of files may contain what links encode. */
export function readingsOf(reference: string): string[] {
  const [beforeFragment = ''] = reference.split('#')
  // A text that looks like a URI can still be a path: a file can be named `a:b`.
  const literal = findFilePathFlaw(reference) === undefined ? reference : undefined
  const paths = [literal, resolveReference(reference), resolveReference(beforeFragment), decodeReference(reference)]
  return [...new Set(paths.filter((path) => path !== undefined))]
}
