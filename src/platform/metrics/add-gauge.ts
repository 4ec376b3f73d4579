import { Gauge, type Registry } from 'prom-client'

/** Adds a gauge that is read when the metrics are read. While `read` returns undefined, the gauge has no sample. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number | undefined): void {
  const collect = () => {
    const value = read()
    if (value === undefined) gauge.remove()
    else gauge.set(value)
  }
  const gauge = new Gauge({ name, help, registers: [registry], collect })
}
