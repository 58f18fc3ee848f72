// Random histories of three clients of one NATS, against models.
import { nats } from '../../../src/nats/nats.ts'
import { volume } from '../../support/volume.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { describeModels } from '../models/describe-models.ts'
import { startNats } from '../nats.ts'
import { freshNamespace, MAX_VALUE_BYTES, PATIENT } from './clients.ts'

describeEngine('NATS', 'mcpwire/nats', () => {
  const server = useEngine(() => startNats())
  const make = () => {
    const options = { namespace: freshNamespace(), ...PATIENT }
    const another = () => nats(server().url, options)
    return { backend: another(), another, maxValueBytes: MAX_VALUE_BYTES }
  }
  describeModels('NATS', make, { runs: volume(20, 300) })
})
