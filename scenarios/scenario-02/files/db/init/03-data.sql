\connect lindenpost
SET ROLE lindenpost_owner;
BEGIN;

INSERT INTO tariffs VALUES ('standard', 1, 129), ('compact', 3, 179), ('large', 8, 265);

-- 400 letters of the last weeks, all of them printed and posted.
INSERT INTO letters (number, client_reference, sender, recipient, pages, price_cents, sha256, status, created_at, printed_at)
SELECT 'LP-' || upper(left(md5('letter ' || n), 10)), 'web-' || left(md5('client ' || n), 20),
       first || ' ' || last, title || ' ' || upper(left(md5('recipient ' || n), 1)) || '. ' || other,
       pages, CASE WHEN pages = 1 THEN 129 WHEN pages <= 3 THEN 179 ELSE 265 END,
       encode(sha256(convert_to('content ' || n, 'UTF8')), 'hex'), 'printed', ordered, ordered + interval '3 hours'
FROM generate_series(1, 400) AS n
CROSS JOIN LATERAL (SELECT
    (ARRAY['Anke', 'Birk', 'Corinna', 'Detlef', 'Elke', 'Falk', 'Gesa', 'Henning', 'Imke', 'Jost', 'Katrin'])[1 + n % 11] AS first,
    (ARRAY['Ahlers', 'Behrens', 'Clasen', 'Dierks', 'Evers', 'Focken', 'Gerdes', 'Harms', 'Ihnen', 'Janssen', 'Kruse', 'Lührs', 'Meints'])[1 + n % 13] AS last,
    (ARRAY['Herrn', 'Frau', 'Praxis', 'Kanzlei'])[1 + n % 4] AS title,
    (ARRAY['Albers', 'Brandt', 'Cordes', 'Dreyer', 'Ebeling', 'Freese', 'Giese'])[1 + n % 7] AS other,
    1 + (n * n) % 7 AS pages,
    date_trunc('minute', now()) - make_interval(mins => 700 + n * 83) AS ordered
) AS detail;

COMMIT;
ANALYZE tariffs, letters;
