// Variables of the environment that change how connections are made.

import { proxyVariables } from '../findings/proxies.ts'
import { ok, warning } from '../findings/step.ts'
import type { PrintedFinding } from '../print-report.ts'

export function checkEnvironment(env: NodeJS.ProcessEnv): PrintedFinding[] {
  return [checkProxies(env), ...checkTls(env)]
}

function checkProxies(env: NodeJS.ProcessEnv): PrintedFinding {
  const title = 'Proxy'
  const names = proxyVariables(env)
  if (names.length === 0) return { title, ...ok('No proxy in the environment') }
  return {
    title,
    ...warning(`${names.join(', ')} is set, and mcpwire connects directly`, 'host-unreachable', {
      cause:
        'Connections of mcpwire do not use a proxy. Where the network allows no other way out, URLs are not reached.',
      fix: 'Use a network that reaches the server directly, or run the server on this machine.',
    }),
  }
}

function checkTls(env: NodeJS.ProcessEnv): PrintedFinding[] {
  const title = 'TLS'
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    return [
      {
        title,
        ...warning('NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates are not checked', 'tls', {
          cause: 'Anyone on the network can read and change what is sent, tokens included.',
          fix: 'Remove the variable. For an authority of your own, set NODE_EXTRA_CA_CERTS.',
        }),
      },
    ]
  }
  const extra = env['NODE_EXTRA_CA_CERTS']
  return extra ? [{ title, ...ok(`Certificates of ${extra} are trusted too`) }] : []
}
