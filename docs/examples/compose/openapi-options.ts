import { openAPIServer } from 'mcpwire/openapi'

export async function createIssueServer(tokenFor: (user: string | undefined) => Promise<string>) {
  const server = await openAPIServer('./github.yaml', {
    name: 'issues',
    baseUrl: 'https://api.github.com',
    include: [{ tags: ['issues'] }, { path: '/repos/{owner}/{repo}/pulls/**', methods: ['get'] }],
    exclude: [{ operationId: /^issues\/lock/ }],
    names: { 'issues/list-for-repo': 'list_issues' },
    auth: { bearerAuth: ({ caller }) => tokenFor(caller.principal?.subject) },
    each: (tool, operation) => ({ ...tool, description: operation.summary }),
    responses: { maxBytes: 20_000 },
  })
  for (const { method, path, reason } of server.report.operations) {
    if (reason !== undefined) console.error(`${method} ${path} is left out: ${reason}`)
  }
  return server
}
