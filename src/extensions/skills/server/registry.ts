// The skills of one server: registers them, finds them, and follows sources that change.

import type { SkillChanges, SkillHandle, SkillOptions } from '../../../mcpserver/extensions/skill-options.ts'
import type { Host } from '../../../mcpserver/handlers/host.ts'
import type { MCPServer } from '../../../mcpserver/mcpserver.ts'
import { orderError, rangeError } from '../../../primitives/help.ts'
import { checkKeys, pickKeys } from '../../../primitives/options.ts'
import type { SkillFolder } from '../../../types/extensions/skills.ts'
import { readFiles, readSkill, readSource, SERVING_KEYS, SKILL_CHANGES_KEYS } from './read-skill.ts'
import { isSameServed, Registration, type ServingOptions } from './registration.ts'
import type { Served, ServedSkill } from './served.ts'
import { SourceWatch } from './source-watch.ts'

/** A skill with the registration that serves it. */
export interface RegisteredSkill {
  readonly skill: ServedSkill
  readonly registration: Registration
}

export class SkillRegistry {
  readonly host: Host
  /** All skills, by the URI of their `SKILL.md`. */
  readonly #registrations = new Map<string, Registration>()
  readonly #watches = new Map<Registration, SourceWatch>()
  #isRunning = false
  #sorted: readonly RegisteredSkill[] | undefined

  constructor(host: Host) {
    this.host = host
  }

  /** All enabled skills, in the order of their URIs. The same array until something changes. */
  get sorted(): readonly RegisteredSkill[] {
    this.#sorted ??= [...this.#registrations.values()]
      .filter(({ isEnabled }) => isEnabled)
      .flatMap((registration) => registration.served.skills.map((skill) => ({ skill, registration })))
      .sort((a, b) => (a.skill.uri < b.skill.uri ? -1 : 1))
    return this.#sorted
  }

  find(uri: string): RegisteredSkill | undefined {
    return this.sorted.find(({ skill }) => skill.uri === uri)
  }

  /** The registration whose folder this is, or is in. */
  findAround(uri: string): Registration | undefined {
    return this.sorted.find(({ registration }) => isWithin(uri, registration.served.folder))?.registration
  }

  add(server: MCPServer, given: unknown, options: SkillOptions = {}): SkillHandle {
    const { served, source } = readSkill(given, options)
    this.#makeRoom(served)
    const { path } = options
    this.#warnOfNames(served)
    const registration = new Registration(server, served, pickKeys<ServingOptions>(options, SERVING_KEYS))
    this.#registrations.set(registration.key, registration)
    this.#changed(served)
    this.#follow(registration, source, path)
    return this.#handleOf(registration, path)
  }

  /** Follows the sources that change, from now on. */
  start(): { close(): void } {
    this.#isRunning = true
    for (const registration of this.#watches.keys()) this.#watch(registration)
    return {
      close: () => {
        this.#isRunning = false
        for (const watch of this.#watches.values()) watch.stop()
      },
    }
  }

  /** A skill can't be in the folder of another registration: that one would have to list its files. */
  #makeRoom({ folder, skills: [{ uri }] }: Served): void {
    const known = this.#registrations.get(uri)
    if (known !== undefined && this.host.onDuplicate === 'error') {
      throw rangeError(
        'duplicate-name',
        `A skill ${JSON.stringify(uri)} is already registered. Choose another path, or set onDuplicate to 'replace'.`,
      )
    }
    for (const other of this.#registrations.values()) {
      if (other === known) continue
      const [inner, outer] = isWithin(folder, other.served.folder)
        ? [folder, other.served.folder]
        : [other.served.folder, folder]
      if (isWithin(inner, outer)) {
        throw rangeError(
          'bad-skill',
          `The skill ${inner} would be inside the skill ${outer}. Choose another path for one of them.`,
        )
      }
    }
    if (known !== undefined) this.#remove(known)
  }

  /** Spec, Names: they should be unique. Hosts keep equal ones apart by their paths, but users may not. */
  #warnOfNames({ skills }: Served): void {
    for (const { uri, frontmatter } of skills) {
      const other = this.sorted.find(({ skill }) => skill.frontmatter.name === frontmatter.name)
      if (other === undefined) continue
      const name = JSON.stringify(frontmatter.name)
      const message = `The skills ${other.skill.uri} and ${uri} are both named ${name}. Choose another name for one of them.`
      this.host.server.faults.report({ kind: 'configuration-warning', message })
    }
  }

  #handleOf(registration: Registration, path: string | undefined): SkillHandle {
    const { key } = registration
    const requireHere = () => {
      if (this.#registrations.get(key) !== registration)
        throw orderError(`The skill ${JSON.stringify(key)} has been removed. Register it again instead.`)
    }
    const enable = (isEnabled: boolean) => {
      requireHere()
      if (registration.isEnabled === isEnabled) return
      registration.enable(isEnabled)
      this.#changed()
    }
    return {
      key,
      uri: key,
      get isEnabled() {
        return registration.isEnabled
      },
      update: (changes: SkillChanges) => {
        requireHere()
        checkKeys(`the skill ${JSON.stringify(key)}`, changes, SKILL_CHANGES_KEYS)
        const { source: given, ...serving } = changes
        const { served, source } =
          given === undefined ? { served: registration.served, source: undefined } : readFiles(given, { path })
        registration.change(served, { ...registration.options, ...serving })
        if (given !== undefined) this.#follow(registration, source, path)
        this.#changed(given === undefined ? undefined : served)
      },
      disable: () => enable(false),
      enable: () => enable(true),
      remove: () => {
        if (this.#registrations.get(key) === registration) this.#remove(registration)
      },
    }
  }

  #remove(registration: Registration): void {
    this.#follow(registration, undefined, undefined)
    this.#registrations.delete(registration.key)
    registration.remove()
    this.#changed()
  }

  /** Announces the change. `served` is the new skill, if one was added. */
  #changed(served?: Served): void {
    this.#sorted = undefined
    for (const message of served?.warnings ?? []) {
      this.host.server.faults.report({ kind: 'configuration-warning', message })
    }
  }

  #follow(registration: Registration, source: SkillFolder | undefined, path: string | undefined): void {
    this.#watches.get(registration)?.stop()
    this.#watches.delete(registration)
    if (source?.watch === undefined) return
    this.#watches.set(registration, new SourceWatch(source, path, registration.key, this.host.server.faults))
    if (this.#isRunning) this.#watch(registration)
  }

  #watch(registration: Registration): void {
    const watch = this.#watches.get(registration)
    if (watch === undefined || watch.isOn) return
    const refresh = () => this.#refresh(registration, watch)
    watch.start(refresh)
    // It may have changed since it was registered.
    refresh()
  }

  /** A source that can't be read, as while an author edits it, leaves the skill as it is. */
  #refresh(registration: Registration, watch: SourceWatch): void {
    if (this.#watches.get(registration) !== watch) return
    try {
      const served = readSource(watch.source, watch.path)
      if (isSameServed(registration.served, served)) return
      registration.change(served, registration.options)
      this.#changed(served)
    } catch (error) {
      const message = `The skill ${JSON.stringify(registration.key)} was changed and can't be read. It stays as it was.`
      this.host.server.faults.report({ kind: 'configuration-warning', message, error })
    }
  }
}

function isWithin(uri: string, folder: string): boolean {
  return uri === folder || uri.startsWith(`${folder}/`)
}
