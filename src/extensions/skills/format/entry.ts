// The rules for the entry of a skill, which come from the other side: its address, its files, and the limits that all hosts accept.
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { SkillResource } from '../../../types/extensions/skills.ts'
import { isDigest } from './digest.ts'
import { findNameFlaw, folderOf, nameIn, pathIn } from './skill-uri.ts'

/** Spec, Limits: what every host accepts. */
export const MAX_FILES = 512
export const MAX_BYTES = 16 * 1024 * 1024

/** Why an entry can't be loaded, as a clause; or `undefined`. */
export function findEntryFlaw(entry: Record<string, unknown>): string | undefined {
  const { uri, frontmatter, resources } = entry
  const folder = typeof uri === 'string' ? folderOf(uri) : undefined
  if (folder === undefined) return 'its uri is not that of a SKILL.md'
  if (!isPlainObject(frontmatter)) return 'its frontmatter is not an object'
  const { name, description } = frontmatter
  const nameFlaw = findNameFlaw(name)
  if (nameFlaw !== undefined) return `its name can't be used: ${nameFlaw}`
  if (typeof description !== 'string') return 'its description is not a text'
  if (nameIn(folder) !== name) return 'its uri does not end with its name and SKILL.md'
  if (resources === 'dynamic') return undefined
  if (!Array.isArray(resources)) return "its resources are neither a list nor 'dynamic'"
  return findManifestFlaw(folder, uri as string, resources)
}

function findManifestFlaw(folder: string, entryUri: string, resources: readonly unknown[]): string | undefined {
  if (resources.length > MAX_FILES) return `it has more than ${MAX_FILES} files`
  const paths = new Set<string>()
  let bytes = 0
  for (const resource of resources) {
    const flaw = findFileFlaw(resource)
    if (flaw !== undefined) return flaw
    const { uri, size } = resource as SkillResource
    const path = pathIn(folder, uri)
    if (path === undefined) return 'it has a file outside its folder'
    if (paths.has(path)) return `it has the file ${path} twice`
    paths.add(path)
    bytes += size
  }
  if (bytes > MAX_BYTES) return `it has more than ${MAX_BYTES} bytes`
  return resources.some((resource) => (resource as SkillResource).uri === entryUri)
    ? undefined
    : 'its resources lack its SKILL.md'
}

function findFileFlaw(resource: unknown): string | undefined {
  if (!isPlainObject(resource) || typeof resource['uri'] !== 'string') return 'it has a file without a uri'
  if (!isDigest(resource['digest'])) return 'it has a file whose digest is not sha256: and 64 lower-case hex digits'
  const { size } = resource
  return Number.isSafeInteger(size) && (size as number) >= 0 ? undefined : 'it has a file whose size is not a number'
}

/** The files of an entry without flaws, by their decoded path. */
export function filesByPath(folder: string, resources: readonly SkillResource[]): Map<string, SkillResource> {
  return new Map(resources.map((resource) => [pathIn(folder, resource.uri) ?? '', resource]))
}

/** Whether two JSON values are the same: numbers by value, members in any order. */
export function isSameJSON(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSameJSON(item, b[i]))
  if (!isPlainObject(a) || !isPlainObject(b)) return a === b
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameJSON(a[key], b[key]))
  )
}

/** The first field in which two front matters differ. */
export function differingField(a: Record<string, unknown>, b: Record<string, unknown>): string | undefined {
  const fields = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...fields].find(
    (field) => Object.hasOwn(a, field) !== Object.hasOwn(b, field) || !isSameJSON(a[field], b[field]),
  )
}
