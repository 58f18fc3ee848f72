// The platform of browsers, workers and everything else that is not Node: what is missing says so.
import { notSupported, type Platform } from './platform.ts'

export const platform: Platform = {
  runtime: 'web',
  createAmbientStorage: () => {
    throw notSupported('An ambient context', 'pass the context along as an argument')
  },
}
