// mcpwire/testing/backend: the contract suite for authors of engines.
export {
  backendContract,
  type ContractPart,
  type ContractRunner,
} from '../../testing/backend-contract/contract.ts'
export type { BackendUnderTest } from '../../testing/backend-contract/under-test.ts'
