import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, type Registry } from 'prom-client'
import { addGauge } from './add-gauge.ts'

/** The timer that watches the event loop fires this often. The reported delay contains this interval. */
const RESOLUTION_MS = 10

/**
 * What the process uses of the machine. The names are those of prom-client's default metrics. Its own collectors are not
 * used: they can't be chosen one by one, they can't be stopped, and their event loop lag contains the timer's own interval.
 */
export function addProcessGauges(registry: Registry): { read(): void; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  let memory = process.memoryUsage()
  let lag = { p50: 0, p99: 0, max: 0 }
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)

  const processorTime = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time, user and system.',
    registers: [registry],
  })
  const startedAt = Date.now() / 1000 - process.uptime()
  addGauge(registry, 'process_start_time_seconds', 'When the process started, in seconds since 1970.', () => startedAt)
  addGauge(registry, 'process_resident_memory_bytes', 'Resident memory of the process.', () => memory.rss)
  addGauge(registry, 'nodejs_heap_size_used_bytes', 'JavaScript heap in use.', () => memory.heapUsed)
  addGauge(registry, 'nodejs_heap_size_total_bytes', 'JavaScript heap, in use or free.', () => memory.heapTotal)
  addGauge(
    registry,
    'nodejs_external_memory_bytes',
    'Memory of buffers and other external objects.',
    () => memory.external,
  )
  for (const quantile of ['p50', 'p99', 'max'] as const) {
    addGauge(
      registry,
      `nodejs_eventloop_lag_${quantile}_seconds`,
      'Event loop lag since the last scrape.',
      () => lag[quantile],
    )
  }
  return {
    read() {
      const { user, system } = process.cpuUsage()
      processorTime.reset()
      processorTime.inc((user + system) / 1e6)
      memory = process.memoryUsage()
      lag =
        delay.count === 0
          ? { p50: 0, p99: 0, max: 0 }
          : { p50: seconds(delay.percentile(50)), p99: seconds(delay.percentile(99)), max: seconds(delay.max) }
      delay.reset()
    },
    stop: () => delay.disable(),
  }
}
