// Reads one file of a skill from its server, and holds it against the entry. What does not match is not used.
import type { Client } from '../../../client/client.ts'
import { quote } from '../../../schema/json-schema.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { SkillRequestOptions, SkillResource } from '../../../types/extensions/skills.ts'
import { bytesOf } from '../format/contents.ts'
import { digestOf } from '../format/digest.ts'
import type { FileCache, VerifiedFile } from './file-cache.ts'
import { type SkillMismatch, SkillMismatchError } from './mismatch-error.ts'

/** The file that is wanted: of which skill, and what its entry says of it. */
export interface WantedFile {
  /** The URI of the skill. */
  readonly skill: string
  readonly path: string
  readonly uri: string
  /** What the entry says about the file. A file of a `dynamic` skill has no digest, and no entry. */
  readonly listed?: SkillResource | undefined
}

/** Throws `SkillMismatchError` for a file that is not there, or not as it is listed. */
export async function readFile(
  client: Client,
  cache: FileCache,
  wanted: WantedFile,
  options: SkillRequestOptions,
): Promise<VerifiedFile> {
  const { uri, listed } = wanted
  const known = listed && cache.find(uri, listed.digest)
  if (known !== undefined) return known
  const file = await fetchFile(client, wanted, options)
  if (listed === undefined) return file
  await verify(wanted, listed, file.bytes)
  cache.add(uri, listed.digest, file)
  return file
}

async function fetchFile(client: Client, wanted: WantedFile, options: SkillRequestOptions): Promise<VerifiedFile> {
  const { contents } = await readContents(client, wanted, options)
  const [only] = contents
  const bytes = contents.length === 1 && only?.uri === wanted.uri ? bytesOf(only) : undefined
  if (only === undefined || bytes === undefined) {
    throw mismatch(wanted, 'contents', 'the server did not return the contents of this one file')
  }
  return { bytes, ...(only.mimeType !== undefined && { mimeType: only.mimeType }) }
}

/** Past the cache of responses, which may hold an older file: the digest decides what is kept. */
async function readContents(client: Client, wanted: WantedFile, options: SkillRequestOptions) {
  try {
    return await client.readResource(wanted.uri, { ...options, cacheMode: 'bypass' })
  } catch (error) {
    if (isNotFound(error)) throw mismatch(wanted, 'missing', 'the server does not have it any more', error)
    throw nameFile(wanted, error)
  }
}

/** A server that hides its failure says nothing of the file. */
function nameFile({ skill, path }: WantedFile, error: unknown): unknown {
  if (!(error instanceof MCPError) || error.local || error.code !== ErrorCode.InternalError) return error
  const message = `The server failed to read the file ${quote(path)} of the skill ${quote(skill)}: ${error.message}`
  return new MCPError(error.code, message, error.data, { cause: error })
}

function isNotFound(error: unknown): boolean {
  if (!(error instanceof MCPError) || error.local) return false
  return error.code === ErrorCode.InvalidParams || error.code === ErrorCode.ResourceNotFound
}

async function verify(wanted: WantedFile, { size, digest }: SkillResource, bytes: Uint8Array): Promise<void> {
  if (bytes.byteLength !== size) {
    throw mismatch(wanted, 'size', `it has ${bytes.byteLength} bytes, and its entry says ${size}`)
  }
  if ((await digestOf(bytes)) !== digest) throw mismatch(wanted, 'digest', 'its digest is not that of its entry')
}

function mismatch(
  { skill, path }: WantedFile,
  reason: SkillMismatch,
  why: string,
  cause?: unknown,
): SkillMismatchError {
  return fileMismatch(skill, path, reason, why, cause)
}

export function fileMismatch(
  skill: string,
  file: string,
  reason: SkillMismatch,
  why: string,
  cause?: unknown,
): SkillMismatchError {
  const message = `The file ${quote(file)} of the skill ${quote(skill)} can't be used: ${why}.`
  return new SkillMismatchError(message, { uri: skill, file, reason, cause })
}
