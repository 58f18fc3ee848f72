// The order of `searchTools`, by 60 judged queries over the operations of three real documents.
import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { SearchIndex, SearchIndexes, stem, wordsOf } from '../../../src/compose/transforms/search-index.ts'
import type { Tool } from '../../../src/types/features/tools.ts'

const MODULES = new URL('../../../node_modules/', import.meta.url)
const DOCUMENTS = [
  '@figma/rest-api-spec/openapi/openapi.yaml',
  '@readme/oas-examples/3.0/json/readme-legacy.json',
  '@readme/oas-examples/3.0/json/petstore.json',
]
const METHODS: readonly string[] = ['get', 'put', 'post', 'delete', 'patch']

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  parameters?: { name?: string; description?: string }[]
}

function toolsOf(path: string): Tool[] {
  const { paths } = load(readFileSync(new URL(path, MODULES), 'utf8')) as {
    paths: Record<string, Record<string, Operation>>
  }
  return Object.entries(paths).flatMap(([route, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, { operationId, summary = '', description = '', parameters = [] }]) => ({
        name: operationId ?? `${method}${route.replaceAll(/\W+/g, '_')}`,
        description: `${summary}\n\n${description}`.trim(),
        inputSchema: {
          type: 'object' as const,
          properties: Object.fromEntries(
            parameters.flatMap(({ name, description: text }) =>
              name === undefined ? [] : [[name, { description: text }]],
            ),
          ),
        },
      })),
  )
}

const JUDGED: readonly [query: string, ...right: string[]][] = [
  ['read the document of a design file', 'getFile'],
  ['some nodes of a file as JSON', 'getFileNodes'],
  ['export a frame as png image', 'getImages'],
  ['download links of images used as fills', 'getImageFills'],
  ['who last modified a file', 'getFileMeta'],
  ['list the files of a folder', 'getFolderFiles'],
  ['subfolders of a folder', 'getFolderFolders'],
  ['top level folders of my team', 'getTeamFolders'],
  ['version history of a file', 'getFileVersions'],
  ['show comments on a file', 'getComments'],
  ['leave a comment', 'postComment'],
  ['remove a comment', 'deleteComment'],
  ['emoji reactions of a comment', 'getCommentReactions'],
  ['add a reaction', 'postCommentReaction'],
  ['delete a reaction', 'deleteCommentReaction'],
  ['who am I', 'getMe'],
  ['current user', 'getMe', 'logoutUser'],
  ['published components of a team', 'getTeamComponents'],
  ['metadata of one component by key', 'getComponent'],
  ['component sets in a file', 'getFileComponentSets'],
  ['styles of a file', 'getFileStyles'],
  ['get a style by key', 'getStyle'],
  ['create a webhook', 'postWebhook'],
  ['update webhook', 'putWebhook'],
  ['delete webhook', 'deleteWebhook'],
  ['requests that a webhook has sent', 'getWebhookRequests'],
  ['activity logs of the organization', 'getActivityLogs'],
  ['AI credits used per day', 'getAiUsageDaily'],
  ['has the user paid for the plugin', 'getPayments'],
  ['local variables of a file', 'getLocalVariables'],
  ['published variables', 'getPublishedVariables'],
  ['change variables in bulk', 'postVariables'],
  ['dev resources of a file', 'getDevResources'],
  ['remove a dev resource', 'deleteDevResource'],
  ['library analytics: how often components are used', 'getLibraryAnalyticsComponentUsages'],
  ['style actions analytics', 'getLibraryAnalyticsStyleActions'],
  ['embed a file by oembed', 'getOEmbed'],
  ['upload an API definition', 'uploadAPISpecification'],
  ['delete an API specification', 'deleteAPISpecification'],
  ['list all categories', 'getCategories'],
  ['create a category', 'createCategory'],
  ['docs in a category', 'getCategoryDocs'],
  ['new changelog entry', 'createChangelog'],
  ['remove changelog', 'deleteChangelog'],
  ['create a custom page', 'createCustomPage'],
  ['search the docs', 'searchDocs'],
  ['update a doc', 'updateDoc'],
  ['outbound IP addresses', 'getOutboundIPs'],
  ['ask the AI a question', 'askOwlbot'],
  ['fork a new version of the docs', 'createVersion'],
  ['delete a version', 'deleteVersion'],
  ['add a pet to the store', 'addPet'],
  ['find pets by status', 'findPetsByStatus'],
  ['pets with certain tags', 'findPetsByTags'],
  ['upload an image of a pet', 'uploadFile'],
  ['inventory of the store', 'getInventory'],
  ['order a pet', 'placeOrder'],
  ['cancel or delete an order', 'deleteOrder'],
  ['log in a user', 'loginUser'],
  ['create many users from a list', 'createUsersWithListInput', 'createUsersWithArrayInput'],
]

describe('search order', () => {
  const tools = DOCUMENTS.flatMap(toolsOf)
  const index = new SearchIndex(tools)

  it('compose X81 compose T10 the right tool is among the first five for at least 90 % of 60 judged queries', () => {
    expect(tools.length).toBeGreaterThan(100)
    expect(JUDGED).toHaveLength(60)
    for (const [, ...right] of JUDGED) for (const name of right) expect(tools.map((tool) => tool.name)).toContain(name)
    const missed = JUDGED.filter(
      ([query, ...right]) => !index.search(query, 5).some(({ name }) => right.includes(name)),
    )
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(6)
  })

  it('compose T10 the exact name comes first, ties by the order of the list', () => {
    expect(index.search('getStyle', 5)[0]?.name).toBe('getStyle')
    const twins = ['b', 'a', 'c'].map((name) => ({
      name,
      description: 'same words',
      inputSchema: { type: 'object' as const },
    }))
    expect(new SearchIndex(twins).search('words', 5).map(({ name }) => name)).toEqual(['b', 'a', 'c'])
    expect(new SearchIndex(twins).search('nothing here', 5)).toEqual([])
    expect(new SearchIndex([]).search('x', 5)).toEqual([])
  })

  it('compose T10 words are split and stemmed', () => {
    expect(wordsOf('getUserByID_list-HTTPServer')).toEqual(['get', 'user', 'id', 'list', 'http', 'server'])
    for (const [one, other] of [
      ['categories', 'category'],
      ['boxes', 'box'],
      ['listing', 'lists'],
      ['updated', 'update'],
      ['stopped', 'stopping'],
    ]) {
      expect(stem(one as string)).toBe(stem(other as string))
    }
  })
})

it('a list that is searched again is not indexed again', () => {
  const indexes = new SearchIndexes()
  const tools = ['one', 'two'].map((name) => ({ name, inputSchema: { type: 'object' as const } }))
  expect(indexes.of(tools)).toBe(indexes.of([...tools]))
  expect(indexes.of(tools.slice(0, 1))).not.toBe(indexes.of(tools))
  expect(indexes.of(tools.map((tool) => ({ ...tool })))).not.toBe(indexes.of(tools))
  expect(
    indexes
      .of(tools)
      .search('one', 5)
      .map(({ name }) => name),
  ).toEqual(['one'])
})
