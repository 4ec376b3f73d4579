import { parentPort } from 'node:worker_threads'
import { assessPassword } from '../password-strength/assess-password.ts'
import { loadEstimator } from '../password-strength/load-estimator.ts'

export interface AssessPasswordRequest {
  password: string
  personal: string[]
}

const estimate = await loadEstimator()

parentPort?.on('message', ({ password, personal }: AssessPasswordRequest) => {
  parentPort?.postMessage(assessPassword(estimate, password, personal), [])
})
