import { recordPauses } from './pauses.ts'

/** A process with nothing to do, so that all its pauses are caused by the machine. It reports them when it gets a message. */
const stop = recordPauses()
process.once('message', () => {
  // Not before the report has left: closing the channel would cut it off.
  process.send?.(stop(), () => process.disconnect?.())
})
process.send?.('started')
