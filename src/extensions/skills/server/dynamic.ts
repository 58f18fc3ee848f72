// A skill whose files are written when they are read.

import { InteractionSuspended } from '../../../mcpserver/asking/options.ts'
import type { DynamicSkillOptions } from '../../../mcpserver/extensions/skill-options.ts'
import type { Context } from '../../../mcpserver/handlers/context.ts'
import { typeError } from '../../../primitives/help.ts'
import { copyJSON } from '../../../primitives/json/copy-json.ts'
import { checkKind, describeKind } from '../../../primitives/options.ts'
import { isForCaller, isUnaskable } from '../../../types/errors/errors.ts'
import type { SkillFrontMatter } from '../../../types/extensions/skills.ts'
import { toContents } from '../format/contents.ts'
import { isSameJSON, MAX_FILES } from '../format/entry.ts'
import { findFrontMatterFlaw, readSkillText, writeSkillText } from '../format/front-matter.ts'
import { ENTRY_FILE, findFilePathFlaw, folderAt, uriOf } from '../format/skill-uri.ts'
import { listFile } from './listed-file.ts'
import type { Served, ServedFile } from './served.ts'
import { checkSkillPath } from './snapshot.ts'

type WriteFile = (ctx: Context) => unknown

/** Throws `TypeError` for options that make no skill. */
export function serveDynamic(name: string, options: DynamicSkillOptions): Served {
  const { description, frontmatter: others = {}, body, files = {}, path = name } = options
  if (description === undefined && body === undefined) throw noContent(name)
  const own = ['name', 'description'].find((field) => Object.hasOwn(others, field))
  if (own !== undefined) {
    throw typeError(
      'bad-skill',
      `The option frontmatter of the skill "${name}" must not have ${own}, which is given already.`,
    )
  }
  const frontmatter = checkFrontMatter(name, { name, description, ...others })
  checkKind(`The option body of the skill "${name}"`, body, 'function', 'body: () => text')
  const folder = folderAt(checkSkillPath(path, name))
  const write: WriteFile = async (ctx) => writeSkillText(frontmatter, checkText(name, await body(ctx)))
  const served = new Map([[ENTRY_FILE, createFile(folder, ENTRY_FILE, write, frontmatter)]])
  for (const [file, writeFile] of Object.entries(files)) {
    const owner = `The file ${JSON.stringify(file)} of the skill "${name}"`
    const flaw = served.has(file) ? 'body writes it' : findFilePathFlaw(file)
    if (flaw !== undefined) throw typeError('bad-skill', `${owner} can't be served: ${flaw}.`)
    checkKind(owner, writeFile, 'function', '() => text')
    served.set(file, createFile(folder, file, writeFile))
  }
  if (served.size > MAX_FILES) {
    throw typeError(
      'bad-skill',
      `The skill "${name}" has ${served.size} files. A skill has ${MAX_FILES} files at most.`,
    )
  }
  const uri = uriOf(folder, ENTRY_FILE)
  const entry = async () => ({ uri, frontmatter, resources: 'dynamic' as const })
  return { folder, skills: [{ uri, frontmatter, entry }], files: served, warnings: [] }
}

function noContent(name: string): TypeError {
  const given = JSON.stringify(name)
  return typeError(
    'bad-skill',
    `server.skill(${given}) has no description and no body. ` +
      `To serve a folder, write server.skill(skillFolder(${given})), with skillFolder from 'mcpwire/node'.`,
  )
}

function createFile(folder: string, path: string, write: WriteFile, skill?: SkillFrontMatter): ServedFile {
  const uri = uriOf(folder, path)
  return {
    uri,
    path,
    listed: listFile(uri, path, undefined, skill),
    isEntryFile: skill !== undefined,
    read: async (ctx) => {
      try {
        return toContents(uri, path, toBytes(path, await write(ctx)))
      } catch (error) {
        throw nameFile(uri, error)
      }
    },
  }
}

/** Names the file to who reads the faults. What the caller may read, and what waits for an answer of it, stays as it is. */
function nameFile(uri: string, error: unknown): unknown {
  if (isForCaller(error) || isUnaskable(error) || error instanceof InteractionSuspended) return error
  return new Error(`The file ${uri} could not be written: its function failed`, { cause: error })
}

function toBytes(path: string, value: unknown): Uint8Array {
  if (typeof value === 'string') return new TextEncoder().encode(value)
  if (value instanceof Uint8Array) return value
  throw typeError(
    'bad-skill',
    `The function for ${path} returned ${describeKind(value)}. Return a string or a Uint8Array.`,
  )
}

function checkText(name: string, text: unknown): string {
  if (typeof text === 'string') return text
  throw typeError(
    'bad-skill',
    `The option body of the skill "${name}" returned ${describeKind(text)}. Return a string.`,
  )
}

/** A copy that stays what it is. It must also come back from YAML as it was, or no client would load the skill. */
function checkFrontMatter(name: string, fields: Record<string, unknown>): SkillFrontMatter {
  const copy = copyJSON(fields)
  const flaw = findFrontMatterFlaw(copy)
  if (flaw !== undefined) throw typeError('bad-skill', `The skill "${name}" can't be served because ${flaw.reason}.`)
  if (!isSameJSON(readSkillText(writeSkillText(copy, '')).frontmatter, copy)) {
    throw typeError('bad-skill', `The front matter of the skill "${name}" has a value that YAML can't hold.`)
  }
  return copy as SkillFrontMatter
}
