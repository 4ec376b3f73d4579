import { parentPort } from 'node:worker_threads'
import { assessPassword } from '../password-strength/assess-password.ts'
import { loadEstimator } from '../password-strength/load-estimator.ts'

/** What the thread is asked about a password. */
export interface Asked {
  password: string
  personal: string[]
}

const estimate = await loadEstimator()

parentPort?.on('message', ({ password, personal }: Asked) => {
  parentPort?.postMessage(assessPassword(estimate, password, personal), [])
})
