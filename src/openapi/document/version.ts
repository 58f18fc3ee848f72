// Which version of OpenAPI a document has, and whether it is one at all.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { describeKind } from '../../primitives/options.ts'
import { OpenAPIError } from './openapi-error.ts'

export type OpenAPIVersion = '3.0' | '3.1' | '3.2'

/** Throws `OpenAPIError`, with what to do, for everything else. */
export function versionOf(document: unknown): OpenAPIVersion {
  if (!isPlainObject(document)) {
    throw new OpenAPIError(`An OpenAPI document is an object, not ${describeKind(document)}.`)
  }
  const written = ownMember(document, 'openapi')
  // 3.0 without quotes is a number in YAML.
  const version = written === 3 ? '3.0' : written
  const [, found] = /^(3\.[012])(?:\.|$)/.exec(String(version)) ?? []
  if (found !== undefined && (typeof version === 'string' || typeof version === 'number'))
    return found as OpenAPIVersion
  if (Object.hasOwn(document, 'swagger')) {
    throw new OpenAPIError(
      `The document is Swagger ${String(ownMember(document, 'swagger')).slice(0, 8)}. ` +
        'Convert it to OpenAPI 3 first: npx swagger2openapi swagger.json -o openapi.json',
      '#/swagger',
    )
  }
  if (version === undefined) {
    const other = Object.hasOwn(document, 'asyncapi') ? 'It is an AsyncAPI document.' : 'The member openapi is missing.'
    throw new OpenAPIError(`This is not an OpenAPI document. ${other} OpenAPI 3.0, 3.1 and 3.2 are supported.`)
  }
  throw new OpenAPIError(
    `OpenAPI ${JSON.stringify(version)?.slice(0, 20)} is not supported. Use 3.0, 3.1 or 3.2.`,
    '#/openapi',
  )
}
