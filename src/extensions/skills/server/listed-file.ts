// A file of a skill, as lists show it.
import { mimeTypeOf } from '../../../primitives/mime-type.ts'
import type { SkillFrontMatter } from '../../../types/extensions/skills.ts'
import type { Resource } from '../../../types/features/resources.ts'

/** Spec, Resource Metadata: a `SKILL.md` has the name and the description of its skill, other files have their own name. */
export function listFile(uri: string, path: string, size?: number, skill?: SkillFrontMatter): Resource {
  const mimeType = mimeTypeOf(path)
  return {
    uri,
    name: skill?.name ?? path.slice(path.lastIndexOf('/') + 1),
    ...(skill !== undefined && { description: skill.description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  }
}
