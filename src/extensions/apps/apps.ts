// The apps extension as a value, for servers and for hosts.
import type { ClientExtension } from '../../client/extensions/extension.ts'
import type { MCPServerExtension } from '../../mcpserver/extensions/extension-parts.ts'
import { coreOf } from '../../server/internals.ts'
import { APPS_EXTENSION, VIEW_MIME_TYPE } from '../../types/extensions/apps.ts'
import { ServerApps } from './server/server-apps.ts'

/**
 * HTML views for tools. In a server it adds `server.app()` and the option `ui` of tools, and is declared while an app is
 * registered. In a client it declares that the host renders views: pass it only where that is so.
 */
export function apps(): MCPServerExtension & ClientExtension {
  return {
    identifier: APPS_EXTENSION,
    settings: { mimeTypes: [VIEW_MIME_TYPE] },
    forServer: (server) =>
      new ServerApps((message) => coreOf(server).faults.report({ kind: 'configuration-warning', message })).parts,
  }
}
