/** The slope of the linear regression (least squares) of y on x. */
export function slopeOf(points: [number, number][]): number {
  const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length)
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return variance === 0 ? 0 : covariance / variance
}
