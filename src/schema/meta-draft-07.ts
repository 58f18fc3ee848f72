// The meta-schema of JSON Schema draft-07 as published at json-schema.org, without its annotations.
import { lazily } from '../primitives/lazily.ts'
import type { JSONSchemaObject } from './engine/json-schema.ts'

/** By URI. Schemas may refer to it; the compiler itself does not need it. */
export const metaSchemasDraft07: () => ReadonlyMap<string, JSONSchemaObject> = lazily(
  () =>
    new Map<string, JSONSchemaObject>([
      [
        'http://json-schema.org/draft-07/schema',
        {
          $schema: 'http://json-schema.org/draft-07/schema#',
          $id: 'http://json-schema.org/draft-07/schema#',
          definitions: {
            schemaArray: { type: 'array', minItems: 1, items: { $ref: '#' } },
            nonNegativeInteger: { type: 'integer', minimum: 0 },
            nonNegativeIntegerDefault0: { allOf: [{ $ref: '#/definitions/nonNegativeInteger' }, {}] },
            simpleTypes: { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] },
            stringArray: { type: 'array', items: { type: 'string' }, uniqueItems: true },
          },
          type: ['object', 'boolean'],
          properties: {
            $id: { type: 'string', format: 'uri-reference' },
            $schema: { type: 'string', format: 'uri' },
            $ref: { type: 'string', format: 'uri-reference' },
            $comment: { type: 'string' },
            title: { type: 'string' },
            description: { type: 'string' },
            default: true,
            readOnly: { type: 'boolean' },
            examples: { type: 'array', items: true },
            multipleOf: { type: 'number', exclusiveMinimum: 0 },
            maximum: { type: 'number' },
            exclusiveMaximum: { type: 'number' },
            minimum: { type: 'number' },
            exclusiveMinimum: { type: 'number' },
            maxLength: { $ref: '#/definitions/nonNegativeInteger' },
            minLength: { $ref: '#/definitions/nonNegativeIntegerDefault0' },
            pattern: { type: 'string', format: 'regex' },
            additionalItems: { $ref: '#' },
            items: { anyOf: [{ $ref: '#' }, { $ref: '#/definitions/schemaArray' }] },
            maxItems: { $ref: '#/definitions/nonNegativeInteger' },
            minItems: { $ref: '#/definitions/nonNegativeIntegerDefault0' },
            uniqueItems: { type: 'boolean' },
            contains: { $ref: '#' },
            maxProperties: { $ref: '#/definitions/nonNegativeInteger' },
            minProperties: { $ref: '#/definitions/nonNegativeIntegerDefault0' },
            required: { $ref: '#/definitions/stringArray' },
            additionalProperties: { $ref: '#' },
            definitions: { type: 'object', additionalProperties: { $ref: '#' } },
            properties: { type: 'object', additionalProperties: { $ref: '#' } },
            patternProperties: {
              type: 'object',
              additionalProperties: { $ref: '#' },
              propertyNames: { format: 'regex' },
            },
            dependencies: {
              type: 'object',
              additionalProperties: { anyOf: [{ $ref: '#' }, { $ref: '#/definitions/stringArray' }] },
            },
            propertyNames: { $ref: '#' },
            const: true,
            enum: { type: 'array', items: true, minItems: 1, uniqueItems: true },
            type: {
              anyOf: [
                { $ref: '#/definitions/simpleTypes' },
                { type: 'array', items: { $ref: '#/definitions/simpleTypes' }, minItems: 1, uniqueItems: true },
              ],
            },
            format: { type: 'string' },
            contentMediaType: { type: 'string' },
            contentEncoding: { type: 'string' },
            if: { $ref: '#' },
            // biome-ignore lint/suspicious/noThenProperty: the name of the keyword
            then: { $ref: '#' },
            else: { $ref: '#' },
            allOf: { $ref: '#/definitions/schemaArray' },
            anyOf: { $ref: '#/definitions/schemaArray' },
            oneOf: { $ref: '#/definitions/schemaArray' },
            not: { $ref: '#' },
          },
        },
      ],
    ]),
)
