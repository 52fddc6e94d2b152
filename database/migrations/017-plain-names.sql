-- Names without what shows nothing and changes how other text is shown, and the stocks of a day by their transfers.

UPDATE {{schema}}.tokens SET
  name = regexp_replace(name, '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]', '', 'g'),
  symbol = regexp_replace(symbol, '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]', '', 'g')
WHERE concat(name, symbol) ~ '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]';

UPDATE {{schema}}.stock_tokens SET
  name = regexp_replace(name, '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]', '', 'g'),
  symbol = regexp_replace(symbol, '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]', '', 'g')
WHERE concat(name, symbol) ~ '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]';

CREATE INDEX stock_daily_moved ON {{schema}}.stock_daily (day, transfers DESC, token);
