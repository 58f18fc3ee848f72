// Without a target: Node, TypeScript, the project of this folder, the environment, and the hosts of this user.
import type { PrintedFinding } from '../print-report.ts'
import { checkEnvironment } from './environment.ts'
import { checkHosts } from './hosts.ts'
import { checkNode, checkTypeScript } from './node.ts'
import { checkCopies, checkModuleType } from './project.ts'

export async function diagnoseMachine(signal: AbortSignal): Promise<PrintedFinding[]> {
  return [
    checkNode(),
    checkTypeScript(),
    checkCopies(),
    checkModuleType(),
    ...checkEnvironment(process.env),
    ...(await checkHosts(signal)),
  ]
}
