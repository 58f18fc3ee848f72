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

/** Throws `TypeError` or `RangeError` for a card that the draft would not allow. */
export function checkCard(subject: CardSubject, options: ServerCardOptions): void {
  const { repository, headers = [], maxAgeSeconds } = options
  const { version, title } = subject.info
  checkName(nameOf(subject, options))
  checkDescription(options.description ?? subject.info.description)
  if (title !== undefined && lengthOf(title) > MAX_TEXT) {
    throw rangeError(
      'wrong-option',
      `A server card takes a title of up to ${MAX_TEXT} characters; the server's has ${lengthOf(title)}.`,
    )
  }
  if (version.length > MAX_VERSION || VERSION_RANGE.test(version)) {
    throw rangeError(
      'wrong-option',
      `A server card needs one version, such as 1.0.2, not '${version.slice(0, MAX_TEXT)}'.`,
    )
  }
  if (repository !== undefined) checkKeys('experimentalServerCard: repository', repository, CARD_REPOSITORY_KEYS)
  for (const header of headers) checkKeys('experimentalServerCard: headers', header, CARD_HEADER_KEYS)
  if (maxAgeSeconds !== undefined) assertCount('experimentalServerCard.maxAgeSeconds', maxAgeSeconds, 0)
}

/** The card of a server whose endpoint is at `url`. */
export function createCard(subject: CardSubject, options: ServerCardOptions, url: string): JSONObject {
  const { version, title, description, websiteUrl, icons } = subject.info
  const { repository, headers, meta } = options
  const remote = {
    type: 'streamable-http',
    url,
    ...(headers !== undefined && { headers }),
    supportedProtocolVersions: subject.supportedVersions,
  }
  return {
    $schema: SCHEMA,
    name: nameOf(subject, options),
    version,
    description: options.description ?? description ?? '',
    ...(title !== undefined && { title }),
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

function nameOf({ info }: CardSubject, options: ServerCardOptions): string {
  return options.name ?? info.name
}

function checkName(name: string): void {
  if (name.length <= MAX_NAME && NAME.test(name)) return
  throw rangeError(
    'wrong-option',
    `A server card needs a name in reverse DNS form, and '${name.slice(0, MAX_TEXT)}' is none. ` +
      `Set experimentalServerCard: { name: 'com.example/weather' }.`,
  )
}

function checkDescription(description: string | undefined): void {
  const length = lengthOf(description ?? '')
  if (length > 0 && length <= MAX_TEXT) return
  const given = length === 0 ? 'the server has none' : `this one has ${length}`
  throw rangeError(
    'wrong-option',
    `A server card needs a description of 1 to ${MAX_TEXT} characters; ${given}. ` +
      `Set experimentalServerCard: { description }.`,
  )
}

/** In characters, as JSON Schema counts them. */
function lengthOf(text: string): number {
  return [...text].length
}

function hidePassword(url: string | URL): string {
  return String(url)
    .slice(0, MAX_TEXT)
    .replace(/\/\/[^/@]*@/, '//***@')
}
