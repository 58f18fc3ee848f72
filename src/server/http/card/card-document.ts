// The server card as a document (SEP-2127, a draft): identity and endpoint of a server, without its tools.
import { rangeError } from '../../../primitives/help.ts'
import { assertCount, checkKeys } from '../../../primitives/options.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { Implementation } from '../../../types/protocol/metadata.ts'
import type { ProtocolVersion } from '../../../types/protocol/versions.ts'
import { CARD_HEADER_KEYS, CARD_REPOSITORY_KEYS, type ServerCardOptions } from './card-options.ts'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/
const MAX_NAME = 200
const MAX_TEXT = 100
const MAX_VERSION = 255
/** Ranges such as `^1.2.3`, `>=1.0`, `1.x` and `1.*` name no version. */
const VERSION_RANGE = /^[\^~<>=]|(?:^|\.)[xX*](?:\.|$)|\s(?:-|\|\|)\s/

/** What a server says of itself. */
export interface CardSubject {
  readonly info: Implementation
  readonly supportedVersions: readonly ProtocolVersion[]
}

/** What the draft wants in place of what the server has. */
export interface CardProblem {
  /** As in "The draft wants …". */
  readonly wants: string
  readonly remedy: string
}

/**
 * Throws `TypeError` or `RangeError` for options that the draft does not allow. Returns what it does not allow in what the server says
 * of itself, with what to do about it: the card is served nevertheless.
 */
export function checkCard({ info }: CardSubject, options: ServerCardOptions): readonly CardProblem[] {
  const { repository, headers = [], maxAgeSeconds, name, description } = options
  for (const problem of [
    name !== undefined && judgeName(name),
    description !== undefined && judgeDescription(description),
  ])
    if (problem) throw rangeError('wrong-option', `A server card needs ${problem.wants}. ${problem.remedy}`)
  if (repository !== undefined) checkKeys('experimentalServerCard: repository', repository, CARD_REPOSITORY_KEYS)
  for (const header of headers) checkKeys('experimentalServerCard: headers', header, CARD_HEADER_KEYS)
  if (maxAgeSeconds !== undefined) assertCount('experimentalServerCard.maxAgeSeconds', maxAgeSeconds, 0)
  return [
    name === undefined && judgeName(info.name),
    description === undefined && judgeDescription(info.description),
    judgeTitle(info.title),
    judgeVersion(info.version),
  ].filter((problem) => problem !== false && problem !== undefined)
}

/** The card of a server whose endpoint is at `url`. */
export function createCard(subject: CardSubject, options: ServerCardOptions, url: string): JSONObject {
  const { name, version, title, description, websiteUrl, icons } = subject.info
  const { repository, headers, meta } = options
  const remote = {
    type: 'streamable-http',
    url,
    ...(headers !== undefined && { headers }),
    supportedProtocolVersions: subject.supportedVersions,
  }
  return {
    $schema: SCHEMA,
    name: cut(options.name ?? name, MAX_NAME),
    version: cut(version, MAX_VERSION),
    description: cut(options.description || description || title || name, MAX_TEXT),
    ...(title !== undefined && { title: cut(title, MAX_TEXT) }),
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(repository !== undefined && { repository }),
    ...(icons !== undefined && { icons }),
    remotes: [remote],
    ...(meta !== undefined && { _meta: meta }),
  } as JSONObject
}

/** The endpoint that an author named. Throws `RangeError` for anything but an http or https URL without user info. */
export function checkCardUrl(given: string | URL): string {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url === undefined || !isWeb) {
    throw rangeError(
      'wrong-option',
      `experimentalServerCard.url must be an http or https URL, not '${hidePassword(given)}'.`,
    )
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw rangeError('wrong-option', 'experimentalServerCard.url must have no user name, password or fragment.')
  }
  return url.href
}

function judgeName(name: string): CardProblem | undefined {
  if (name.length <= MAX_NAME && NAME.test(name)) return undefined
  const wants = `a name in reverse DNS form, and '${name.slice(0, MAX_TEXT)}' is none`
  return { wants, remedy: "Set experimentalServerCard: { name: 'com.example/weather' }." }
}

function judgeDescription(description = ''): CardProblem | undefined {
  const length = lengthOf(description)
  if (length > 0 && length <= MAX_TEXT) return undefined
  const found = length === 0 ? 'there is none' : `this one has ${length}`
  const wants = `a description of 1 to ${MAX_TEXT} characters, and ${found}`
  return { wants, remedy: 'Set experimentalServerCard: { description }.' }
}

function judgeTitle(title = ''): CardProblem | undefined {
  const length = lengthOf(title)
  if (length <= MAX_TEXT) return undefined
  return { wants: `a title of up to ${MAX_TEXT} characters, and this one has ${length}`, remedy: 'Shorten the title.' }
}

function judgeVersion(version: string): CardProblem | undefined {
  if (version.length <= MAX_VERSION && !VERSION_RANGE.test(version)) return undefined
  const wants = `one version, such as 1.0.2, and '${version.slice(0, MAX_TEXT)}' is none`
  return { wants, remedy: 'Set the version of the server.' }
}

/** In characters, as JSON Schema counts them. */
function cut(text: string, max: number): string {
  return lengthOf(text) <= max ? text : `${[...text].slice(0, max - 1).join('')}…`
}

function lengthOf(text: string): number {
  return [...text].length
}

function hidePassword(url: string | URL): string {
  return String(url)
    .slice(0, MAX_TEXT)
    .replace(/\/\/[^/@]*@/, '//***@')
}
