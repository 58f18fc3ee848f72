// What `server.skill()` and updates accept: a source, files in memory, or a name with functions.

import type { DynamicSkillOptions, SkillChanges, SkillOptions } from '../../../mcpserver/extensions/skill-options.ts'
import { ACCESS_KEYS } from '../../../mcpserver/handlers/definition-options.ts'
import { typeError } from '../../../primitives/help.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { checkKeys, describeKind, type KnownKeys } from '../../../primitives/options.ts'
import type { SkillFiles, SkillFolder } from '../../../types/extensions/skills.ts'
import { serveDynamic } from './dynamic.ts'
import type { ServingOptions } from './registration.ts'
import type { Served } from './served.ts'
import { type SnapshotPlace, takeSnapshot } from './snapshot.ts'

export const SERVING_KEYS: KnownKeys<ServingOptions> = {
  ...ACCESS_KEYS,
  listed: 'boolean',
}

export const SKILL_KEYS: KnownKeys<SkillOptions> = {
  ...SERVING_KEYS,
  path: 'string',
}

export const DYNAMIC_SKILL_KEYS: KnownKeys<DynamicSkillOptions> = {
  ...SKILL_KEYS,
  description: 'string',
  frontmatter: 'object',
  body: true,
  files: 'object',
}

export const SKILL_CHANGES_KEYS: KnownKeys<SkillChanges> = {
  ...SERVING_KEYS,
  source: true,
}

export interface ReadSkill {
  readonly served: Served
  /** What the files are from, if they can change. */
  readonly source: SkillFolder | undefined
}

/** Throws `TypeError` for what is no skill. */
export function readSkill(given: unknown, options: SkillOptions): ReadSkill {
  if (typeof given === 'string') {
    checkKeys(`the skill ${JSON.stringify(given)}`, options as DynamicSkillOptions, DYNAMIC_SKILL_KEYS)
    return { served: serveDynamic(given, options as DynamicSkillOptions), source: undefined }
  }
  checkKeys('server.skill()', options, SKILL_KEYS)
  return readFiles(given, options)
}

export function readFiles(given: unknown, { path }: Pick<SnapshotPlace, 'path'>): ReadSkill {
  if (!isPlainObject(given)) {
    const advice = "Pass skillFolder('skills/refunds'), { 'SKILL.md': text }, or a name with the option body."
    throw typeError('bad-skill', `A skill can't be made of ${describeKind(given)}. ${advice}`)
  }
  if (!isSource(given)) return { served: takeSnapshot(given as SkillFiles, { path }), source: undefined }
  return { served: readSource(given, path), source: given }
}

export function readSource(source: SkillFolder, path = source.path): Served {
  return takeSnapshot(source.read(), { label: source.label, path })
}

/** The contents of a file named `read` are no function. */
function isSource(given: object): given is SkillFolder {
  return 'read' in given && typeof given.read === 'function'
}
