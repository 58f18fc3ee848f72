// `client.skills`: finds the skills of a server and loads them. Nothing is fetched before it is asked for.

import { type Client, targetOf } from '../../../client/client.ts'
import { internalsOf } from '../../../client/session/internals.ts'
import { eachItem } from '../../../client/session/pages.ts'
import { typeError } from '../../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../../primitives/json/objects.ts'
import { describeKind } from '../../../primitives/options.ts'
import { quote } from '../../../schema/json-schema.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { InvalidResultError } from '../../../types/errors/failures.ts'
import {
  type ClientSkills,
  type FoundSkill,
  type LoadedSkill,
  SKILLS_EXTENSION,
  type SkillEntry,
  type SkillRequestOptions,
} from '../../../types/extensions/skills.ts'
import type { ServerCapabilities } from '../../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { isModernVersion } from '../../../types/protocol/versions.ts'
import { fingerprintOf } from '../format/digest.ts'
import { findEntryFlaw } from '../format/entry.ts'
import { FileCache } from './file-cache.ts'
import { loadSkill } from './loaded-skill.ts'
import { SkillMismatchError } from './mismatch-error.ts'

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i
/** Skills of one name that an error mentions. */
const MAX_SAME_NAME = 3

export class ServerSkills implements ClientSkills {
  readonly #client: Client
  /** What the host calls the server. */
  readonly #server: string
  readonly #cache = new FileCache()
  #discovered: ServerCapabilities | undefined

  constructor(client: Client, label: string | undefined) {
    this.#client = client
    this.#server = label ?? targetOf(client)
  }

  async *all(options: SkillRequestOptions = {}): AsyncGenerator<FoundSkill, void> {
    const fetchPage = async (cursor: string | undefined) => {
      const { skills, nextCursor } = await this.#request('skills/list', cursor === undefined ? {} : { cursor }, options)
      if (!Array.isArray(skills)) throw invalidResult('skills/list', 'skills')
      if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string') {
        throw invalidResult('skills/list', 'nextCursor')
      }
      return { skills, ...(typeof nextCursor === 'string' && { nextCursor }) }
    }
    for await (const entry of eachItem(fetchPage, ({ skills }) => skills)) {
      // The other entries say what they say, whatever this one is.
      if (isAddressed(entry)) yield await this.#describe(entry)
      else this.#reportSkipped()
    }
  }

  async get(uri: string, options: SkillRequestOptions = {}): Promise<FoundSkill> {
    if (typeof uri !== 'string' || !HAS_SCHEME.test(uri)) throw await this.#notUri(uri, options)
    const { skill } = await this.#request('skills/get', { uri }, options)
    const found = await this.#find('skills/get', skill)
    if (found.uri !== uri) throw invalidResult('skills/get', 'skill.uri')
    return found
  }

  /** Names are not unique, so that a skill is found by its URI only. */
  async #notUri(given: unknown, options: SkillRequestOptions): Promise<TypeError> {
    const rule = 'The first argument of skills.get() and skills.load() must be the URI of a SKILL.md'
    if (typeof given !== 'string') return typeError('wrong-argument', `${rule}, not ${describeKind(given)}.`)
    const uris = await this.#urisOf(given, options)
    const advice =
      uris.length === 0 ? 'client.skills.all() lists the skills of the server.' : `Use ${uris.join(' or ')}.`
    return typeError('wrong-argument', `${rule}, not ${quote(given)}. ${advice}`)
  }

  async #urisOf(name: string, options: SkillRequestOptions): Promise<string[]> {
    const uris: string[] = []
    try {
      for await (const { frontmatter, uri } of this.all(options)) {
        if (frontmatter.name === name) uris.push(quote(uri))
        if (uris.length === MAX_SAME_NAME) break
      }
    } catch {
      // The argument is wrong, whatever the server lists.
    }
    options.signal?.throwIfAborted()
    return uris
  }

  async load(skill: string | FoundSkill, options: SkillRequestOptions = {}): Promise<LoadedSkill> {
    const entry = typeof skill === 'string' ? await this.get(skill, options) : await this.#checkHeld(skill)
    try {
      return await this.#load(entry, options)
    } catch (error) {
      if (!(error instanceof SkillMismatchError) || error.reason === 'entry') throw error
      const current = await this.#currentOf(entry, options)
      if (current === undefined) throw error
      // The skill changed after its entry was made. By URI nobody has approved the older one.
      if (typeof skill === 'string') return this.#load(current, options)
      throw withCurrent(error, current)
    }
  }

  close(): void {
    this.#cache.clear()
  }

  #load(entry: FoundSkill, options: SkillRequestOptions): Promise<LoadedSkill> {
    if (entry.problem !== undefined) throw declined(entry)
    const listFolder = async (uri: string, cursor: string | undefined, request: SkillRequestOptions) => {
      await this.#requireDirectoryRead(request)
      return this.#request('resources/directory/read', cursor === undefined ? { uri } : { uri, cursor }, request)
    }
    const refresh = (error: SkillMismatchError, request: SkillRequestOptions) => this.#explain(error, entry, request)
    return loadSkill({ client: this.#client, cache: this.#cache, entry, listFolder, refresh }, options)
  }

  /** An entry that the host has kept. What it says is checked again, and it must be of this server. */
  async #checkHeld(held: FoundSkill): Promise<FoundSkill> {
    if (!isPlainObject(held))
      throw typeError('wrong-argument', 'The first argument of skills.load() must be a URI or an entry.')
    const server = ownMember(held.origin, 'server')
    if (server !== this.#server) {
      const message = `The skill ${quote(String(held.uri))} is from another server than ${quote(this.#server)}.`
      throw new SkillMismatchError(message, { uri: String(held.uri), reason: 'origin' })
    }
    return this.#find('skills.load()', held)
  }

  /** What the server has now, if it differs from the entry. */
  async #currentOf(entry: FoundSkill, options: SkillRequestOptions): Promise<FoundSkill | undefined> {
    try {
      const current = await this.get(entry.uri, options)
      return current.fingerprint === entry.fingerprint ? undefined : current
    } catch {
      // The mismatch counts, not that the server has no better answer.
      return undefined
    }
  }

  async #explain(error: SkillMismatchError, entry: FoundSkill, options: SkillRequestOptions): Promise<Error> {
    const current = await this.#currentOf(entry, options)
    return current === undefined ? error : withCurrent(error, current)
  }

  #reportSkipped(): void {
    const message = 'The server listed a skill without a uri. It was left out of skills.all().'
    internalsOf(this.#client.session).faults.report({ kind: 'invalid-message', message, method: 'skills/list' })
  }

  async #find(method: string, given: unknown): Promise<FoundSkill> {
    if (!isAddressed(given)) throw invalidResult(method, 'uri')
    return this.#describe(given)
  }

  /** An entry with a flaw is shown with it. It has front matter all the same, which hosts read to show it. */
  async #describe(given: AddressedEntry): Promise<FoundSkill> {
    const problem = findEntryFlaw(given)
    const entry = given as unknown as SkillEntry
    const isBound = problem === undefined && entry.resources !== 'dynamic'
    return {
      ...entry,
      frontmatter: isPlainObject(entry.frontmatter) ? entry.frontmatter : { name: '', description: '' },
      origin: { server: this.#server, uri: entry.uri },
      fingerprint: isBound
        ? await fingerprintOf(entry.resources as Exclude<SkillEntry['resources'], 'dynamic'>)
        : undefined,
      problem,
    }
  }

  async #request(method: string, params: JSONObject, options: SkillRequestOptions): Promise<JSONObject> {
    if ((await this.#settings(options)) === undefined) {
      const message = `The server does not declare the extension ${SKILLS_EXTENSION}, so it has no ${method}.`
      throw new MCPError(ErrorCode.MethodNotFound, message, undefined, { local: true })
    }
    return this.#client.session.sendRequest(method as 'skills/list', params, options)
  }

  async #requireDirectoryRead(options: SkillRequestOptions): Promise<void> {
    if (ownMember(await this.#settings(options), 'directoryRead') === true) return
    const message =
      'The server does not declare directoryRead, so the folders of a dynamic skill are not known. ' +
      'Set skills({ directoryRead: true }) on the server.'
    throw new MCPError(ErrorCode.MethodNotFound, message, undefined, { local: true })
  }

  /** What the server declares about skills; `undefined` if it declares none. */
  async #settings(options: SkillRequestOptions): Promise<JSONObject | undefined> {
    const { session } = this.#client
    return settingsIn(session.serverCapabilities) ?? settingsIn(await this.#discover(options))
  }

  /** A client with a pinned revision, or with a result of before, has not asked the server what it declares now. */
  async #discover(options: SkillRequestOptions): Promise<ServerCapabilities | undefined> {
    const { session, protocolVersion } = this.#client
    if (!isModernVersion(protocolVersion)) return undefined
    this.#discovered ??= (await session.sendDiscover(protocolVersion, options)).capabilities
    return this.#discovered
  }
}

type AddressedEntry = Record<string, unknown> & { uri: string }

function isAddressed(given: unknown): given is AddressedEntry {
  return isPlainObject(given) && typeof given['uri'] === 'string'
}

function settingsIn(capabilities: ServerCapabilities | undefined): JSONObject | undefined {
  const settings = ownMember(capabilities?.extensions, SKILLS_EXTENSION)
  return isPlainObject(settings) ? settings : undefined
}

function declined({ uri, problem }: FoundSkill): SkillMismatchError {
  return new SkillMismatchError(`The skill ${quote(uri)} can't be loaded: ${problem}.`, { uri, reason: 'entry' })
}

function withCurrent(error: SkillMismatchError, current: FoundSkill): SkillMismatchError {
  const message = `${error.message} The server has changed the skill. Ask the user to approve it again, then load error.current.`
  const { uri, file, reason } = error
  return new SkillMismatchError(message, { uri, file, reason, current, cause: error })
}

function invalidResult(method: string, path: string): InvalidResultError {
  return new InvalidResultError(`The result of ${method} does not fit the skills extension: ${path} is wrong`, path)
}
