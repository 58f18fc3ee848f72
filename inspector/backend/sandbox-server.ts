// The origin of the sandbox page: another one than that of the inspector's page, so that a view reaches nothing of it.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { sandboxPage } from 'mcpwire/extensions/apps'

const MAX_REPORT_BYTES = 16 * 1024

export interface SandboxServerOptions {
  readonly pageOrigin: () => string
  readonly ownOrigin: () => string
  /** Called with what the policy of a view stopped. */
  readonly onBlocked: (view: string, what: string) => void
}

/** Serves the sandbox page, takes reports of what its policy stopped, and does nothing else. */
export function createSandboxServer({ pageOrigin, ownOrigin, onBlocked }: SandboxServerOptions): Server {
  return createServer((request, response) => {
    const host = new URL(ownOrigin()).host
    const [, view = '', part] = (request.url ?? '/').split('?')[0]?.split('/') ?? []
    if (request.headers.host !== host) response.writeHead(403).end()
    else if (request.method === 'POST' && part === 'blocked') {
      void readReport(request).then((what) => {
        if (what !== undefined) onBlocked(view, what)
        response.writeHead(204).end()
      })
    } else if (request.method === 'GET' && part === undefined) {
      const { status, headers, html } = sandboxPage(request.url ?? '/', { hostOrigin: pageOrigin() })
      const policy = `${headers['content-security-policy']}; report-uri ${ownOrigin()}/${encodeURIComponent(view)}/blocked`
      response.writeHead(status, { ...headers, 'content-security-policy': policy }).end(html)
    } else response.writeHead(404).end()
  })
}

async function readReport(request: IncomingMessage): Promise<string | undefined> {
  let text = ''
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      text += chunk.toString('utf8')
      if (text.length > MAX_REPORT_BYTES) return undefined
    }
    const report = (JSON.parse(text) as Record<string, Record<string, unknown> | undefined>)['csp-report'] ?? {}
    const directive = report['effective-directive'] ?? report['violated-directive']
    return `${String(directive)}: ${String(report['blocked-uri'])}`
  } catch {
    return undefined
  }
}
