// Whether a client takes a compressed answer.

export const acceptsGzip = (header: string | string[] | undefined): boolean =>
  String(header ?? '')
    .split(',')
    .map((part) => part.replaceAll(' ', '').split(';q='))
    .some(([name, quality = '1']) => (name === 'gzip' || name === '*') && Number(quality) > 0)
