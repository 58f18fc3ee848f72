// The model tests on Redis: three connections, one script each.
import { redis } from '../../../src/redis/redis.ts'
import { volume } from '../../support/volume.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { describeModels } from '../models/describe-models.ts'
import { startRedis } from '../redis.ts'
import * as clients from './clients.ts'

describeEngine('Redis', 'mcpwire/redis under the models', () => {
  const server = useEngine(() => startRedis())
  const make = () => {
    const options = { namespace: clients.freshNamespace(), ...clients.PATIENT }
    return { backend: redis(server().url, options), another: () => redis(server().url, options) }
  }
  describeModels('Redis', make, { runs: volume(40, 600) })
})
