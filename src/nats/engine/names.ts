// Names of subjects and streams. Nothing of them comes from a client but what the caller has made a digest of.

import { createHash } from 'node:crypto'
import { rangeError } from '../../primitives/help.ts'

const NAMESPACE = /^[\w.-]{1,100}$/
const DIGEST_LENGTH = 12
/** A stream is a folder of the server. */
const LONGEST_PLAIN = 64

export function checkNamespace(namespace: string): void {
  if (NAMESPACE.test(namespace)) return
  throw rangeError('wrong-option', 'namespace has 1 to 100 letters, digits and the characters - _ . only.')
}

/** Of a server's name, which may be any text. */
export function namespaceOf(name: string): string {
  if (NAMESPACE.test(name)) return name
  return `${name.replace(/[^\w.-]+/g, '-').slice(0, 60)}-${digestOf(name)}`
}

export function digestOf(text: string, length = DIGEST_LENGTH): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, length)
}

/** As one part of a subject, which a dot would end. No name has `=`. */
export function tokenOf(name: string): string {
  return name.replaceAll('.', '=d').replaceAll(':', '=c')
}

export class Names {
  readonly namespace: string
  /** Records, limits and tasks: the newest message of each subject counts. */
  readonly state: string
  readonly logs: string
  readonly #prefix: string

  constructor(namespace: string) {
    this.namespace = namespace
    const token = tokenOf(namespace)
    const short = token.length <= LONGEST_PLAIN ? token : `${token.slice(0, 40)}-${digestOf(namespace)}`
    this.#prefix = `mcpwire.${short}.v1`
    this.state = `mcpwire_${short}_v1`
    this.logs = `mcpwire_${short}_v1_logs`
  }

  get stateSubjects(): string {
    return `${this.#prefix}.s.>`
  }

  get logSubjects(): string {
    return `${this.#prefix}.l.*`
  }

  readonly record = (key: string): string => `${this.#prefix}.s.r.${tokenOf(key)}`

  readonly bucket = (key: string): string => `${this.#prefix}.s.b.${tokenOf(key)}`

  readonly places = (key: string): string => `${this.#prefix}.s.h.${tokenOf(key)}`

  readonly log = (log: string): string => `${this.#prefix}.l.${tokenOf(log)}`

  /** Where whoever follows a log hears of new entries. */
  readonly logHints = (log: string): string => `${this.#prefix}.f.${tokenOf(log)}`

  readonly topic = (topic: string): string => `${this.#prefix}.t.${tokenOf(topic)}`

  readonly task = (id: string): string => `${this.#prefix}.s.t.${tokenOf(id)}`

  /** A large text of a task, by its digest. */
  readonly text = (id: string, digest: string): string => `${this.#prefix}.s.x.${tokenOf(id)}.${digest}`

  /** A task among those of its owner in one dialect. Their names may be any text. */
  readonly listed = (owner: string, dialect: string, id: string): string =>
    `${this.#prefix}.s.w.${digestOf(JSON.stringify([owner, dialect]), 22)}.${id === '*' ? id : tokenOf(id)}`

  /** Tasks of one owner that are being created. */
  readonly creating = (owner: string): string => `${this.#prefix}.s.c.${digestOf(owner, 22)}`

  get taskHints(): string {
    return `${this.#prefix}.h`
  }

  /** About the backend itself: which server uses the namespace, the clock, what `health` writes. */
  readonly own = (name: 'server' | 'clock' | 'probe'): string => `${this.#prefix}.s.o.${name}`
}
