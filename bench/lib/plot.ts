// A scatter plot as SVG: points, and the running median through them.

import { median } from './figures.ts'

export interface Plot {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly points: readonly (readonly [number, number])[]
}

const [width, height, margin] = [720, 400, 56]
const window = 9

const niceCeiling = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return [1, 2, 5, 10].map((step) => step * power).find((candidate) => candidate >= value) ?? value
}

export const plotSvg = ({ title, x, y, points }: Plot): string => {
  const sorted = [...points].sort((a, b) => a[0] - b[0])
  const xMax = niceCeiling(Math.max(...sorted.map(([value]) => value)))
  const yMax = niceCeiling(Math.max(...sorted.map(([, value]) => value)))
  const left = (value: number) => margin + (value / xMax) * (width - 2 * margin)
  const top = (value: number) => height - margin - (value / yMax) * (height - 2 * margin)
  const at = ([px, py]: readonly [number, number]) => `${left(px).toFixed(1)},${top(py).toFixed(1)}`
  const smooth = sorted.map(([px], index) => {
    const near = sorted.slice(Math.max(0, index - (window >> 1)), index + (window >> 1) + 1)
    return [px, median(near.map(([, value]) => value))] as const
  })
  const steps = [0, 0.25, 0.5, 0.75, 1]
  const text = (px: number, py: number, label: string, anchor = 'middle', more = '') =>
    `<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" text-anchor="${anchor}" ${more}>${label}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(width / 2, 28, title, 'middle', 'font-size="15" font-weight="600"'),
    ...steps.map((step) => `<line x1="${margin}" x2="${width - margin}" y1="${top(step * yMax)}" y2="${top(step * yMax)}" stroke="#ddd"/>`),
    ...steps.map((step) => text(margin - 8, top(step * yMax) + 4, String(step * yMax), 'end')),
    ...steps.map((step) => text(left(step * xMax), height - margin + 18, String(step * xMax))),
    text(width / 2, height - 14, x),
    text(16, height / 2, y, 'middle', `transform="rotate(-90 16 ${height / 2})"`),
    ...sorted.map((point) => `<circle cx="${at(point).split(',')[0]}" cy="${at(point).split(',')[1]}" r="2.5" fill="#7aa6d8"/>`),
    `<polyline fill="none" stroke="#1f4e8c" stroke-width="2" points="${smooth.map(at).join(' ')}"/>`,
    '</svg>',
    '',
  ].join('\n')
}
