/** How much the second grows while the first grows by one: the line of least squares. */
export function slopeOf(points: [number, number][]): number {
  const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length)
  const middleX = mean(points.map(([x]) => x))
  const middleY = mean(points.map(([, y]) => y))
  const spread = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
  const together = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0)
  return spread === 0 ? 0 : together / spread
}
